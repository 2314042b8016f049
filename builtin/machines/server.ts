import type { SvcPluginApi } from "@get-svc/plugin-sdk";

import { runCli } from "./cli.ts";
import { findFiles, listFolder, readText, writeText } from "./files.ts";
import { describeMachine } from "./machines.ts";
import { reportOf } from "./report.ts";
import { kMostSeconds, runCommand } from "./run.ts";
import { kMachine, object, type OnMachine, pathOf, Toolbox } from "./toolbox.ts";

const kSeconds = 120;
const kEntries = 200;
const kMostEntries = 1_000;

/** The machines of the service for agents: what `svc machine`, `svc terminal` and `svc file` are for people. */
export default function machines(svc: SvcPluginApi): void {
  const tools = new Toolbox(svc);
  addList(tools);
  addRun(tools);
  addFiles(tools);
  addRead(tools);
  addWrite(tools);
  svc.cli.register(runCli(svc.sdk));
}

function addList(tools: Toolbox): void {
  tools.add({
    name: "machine_list",
    description:
      "Lists the machines that the other machine_ tools work on: name, id, and whether each is connected or since when not. " +
      "What system one runs, `uname -a` says with machine_run.",
    label: { pending: "Looking at machines", completed: "Looked at machines" },
    glyph: "Server",
    parameters: object({}),
    execute: async (_params, { signal }) => (await tools.hosts(signal)).map(describeMachine).join("\n"),
  });
}

function addRun(tools: Toolbox): void {
  tools.add<OnMachine & { command: string; cwd?: string; timeoutSeconds?: number }>({
    name: "machine_run",
    description:
      "Runs a command on a machine by the login shell of its daemon's user, waits for its end, and answers the exit code and the output " +
      "(stdout and stderr together, the last 32 KiB). Nothing can be typed into it. After timeoutSeconds it is ended by force, with everything it has started.",
    instructions:
      "What machine_run and machine_write do on a machine is done at once, as its user, and nobody is asked. Ask the user before anything that " +
      "destroys data, stops a service or changes who may do what.",
    label: { pending: "Running a command", completed: "Ran a command" },
    glyph: "SquareTerminal",
    parameters: object(
      {
        machine: kMachine,
        command: { type: "string", minLength: 1, description: "One or more lines for the shell" },
        cwd: pathOf("Folder to run in", ". Without it that home"),
        timeoutSeconds: { type: "integer", minimum: 1, maximum: kMostSeconds, description: `How long it may take; ${kSeconds} without it` },
      },
      ["command"],
    ),
    async execute({ command, cwd = null, timeoutSeconds = kSeconds, ...rest }, context) {
      const { sdk, machine, signal } = await tools.place(rest, context);
      const onProgress = (seconds: number, lastLine: string): void =>
        context.experimental_progress?.({ progress: seconds, message: lastLine || `running on ${machine.name}` });
      const wish = { machine, cwd, command, timeoutMs: timeoutSeconds * 1_000 };
      const { text, isError } = reportOf(machine, await runCommand(sdk, wish, { signal, onProgress }));
      return { content: [{ type: "text", text }], isError };
    },
  });
}

function addFiles(tools: Toolbox): void {
  tools.add<OnMachine & { path?: string; query?: string; limit?: number }>({
    name: "machine_files",
    description:
      "Lists a folder of a machine: names, sizes, times, folders with / at the end. With query it looks below the folder at any depth, " +
      "for paths that have these characters in their order, best first.",
    label: { pending: "Looking at files", completed: "Looked at files" },
    glyph: "FolderOpen",
    parameters: object({
      machine: kMachine,
      path: pathOf("A folder", ". Without it that home"),
      query: { type: "string", minLength: 1, description: "What to look for in paths" },
      limit: { type: "integer", minimum: 1, maximum: kMostEntries, description: `Most entries to answer; ${kEntries} without it` },
    }),
    async execute({ path, query, limit = kEntries, ...rest }, context) {
      const place = await tools.place(rest, context);
      return query === undefined ? listFolder(place, path, limit) : findFiles(place, path, query, limit);
    },
  });
}

function addRead(tools: Toolbox): void {
  tools.add<OnMachine & { path: string; fromLine?: number; lines?: number }>({
    name: "machine_read",
    description:
      "Reads a text file of a machine, or some of its lines: at most 2,000 lines and 64 KiB at once, of files up to 25 MB. Says the sha256 " +
      "of the whole file, which machine_write wants before it replaces one. What is no text is not shown.",
    label: { pending: "Reading a file", completed: "Read a file" },
    glyph: "FileText",
    parameters: object(
      {
        machine: kMachine,
        path: pathOf("A file"),
        fromLine: { type: "integer", minimum: 1, description: "First line, 1 without it" },
        lines: { type: "integer", minimum: 1, description: "How many" },
      },
      ["path"],
    ),
    async execute({ path, fromLine = 1, lines, ...rest }, context) {
      const texts = await readText(await tools.place(rest, context), path, { fromLine, lines });
      return { content: texts.map((text) => ({ type: "text", text })) };
    },
  });
}

function addWrite(tools: Toolbox): void {
  tools.add<OnMachine & { path: string; content: string; replaces?: string; createParents?: boolean }>({
    name: "machine_write",
    description:
      "Writes a text file of a machine as a whole. Without replaces it creates the file, and refuses when one is there. To replace one, " +
      "give the sha256 that machine_read has said of it: it is refused when the file was changed since.",
    label: { pending: "Writing a file", completed: "Wrote a file" },
    glyph: "FilePen",
    parameters: object(
      {
        machine: kMachine,
        path: pathOf("A file"),
        content: { type: "string", description: "All of the file, with its last line break" },
        replaces: {
          type: "string",
          pattern: "^[0-9a-fA-F]{64}$",
          description: "sha256 of the file that is replaced, as machine_read says it",
        },
        createParents: { type: "boolean", description: "Make the folders above it" },
      },
      ["path", "content"],
    ),
    async execute({ path, content, replaces, createParents = false, ...rest }, context) {
      return writeText(await tools.place(rest, context), { path, content, replaces, createParents });
    },
  });
}
