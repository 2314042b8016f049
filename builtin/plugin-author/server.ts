import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

import { cliCommand, defineCli, PluginCliError, type SvcPluginApi } from "@get-svc/plugin-sdk";

import { checkPlugin } from "./check.ts";
import { buildEntries } from "./entries.ts";
import { inspect } from "./inspection.ts";
import { findTopic, listTopics, type Kind } from "./topics.ts";

/** `svc plugin-author`: what somebody needs who writes a plugin, without leaving the machine. */
export default function pluginAuthor(svc: SvcPluginApi): void {
  const pages = (kind: Kind, summary: string) =>
    cliCommand({
      summary,
      positionals: [{ name: "topic", description: "Which page; without one, the list of them" }],
      run: async ({ positionals: { topic } }) => ({ exitCode: 0, stdout: topic === undefined ? listing(kind) : page(kind, topic) }),
    });

  const check = cliCommand({
    summary: "Check the folder of a plugin by the rules of an install, and build its entries",
    positionals: [
      {
        name: "folder",
        description: "The plugin's folder on the server's machine; an absolute path where the caller has no folder of its own",
        required: true,
      },
    ],
    async run({ positionals: { folder } }, { cwd, signal }) {
      if (cwd === undefined && !isAbsolute(folder)) {
        throw new PluginCliError(`"${folder}" is relative, and nobody said to which folder`, {
          code: "invalid_argument",
          hint: "name an absolute path, or send cwd with the call",
        });
      }
      const root = resolve(cwd ?? "/", folder);
      const { id, problems, hints } = await checkPlugin(root, {
        inspect: (each) => inspect(each, signal),
        build: (each) => buildEntries(each, signal),
      });
      const lines = [
        ...problems.map((problem) => `problem: ${problem}`),
        ...hints.map((hint) => `hint: ${hint}`),
        problems.length === 0 ? `${id} can be installed: svc plugin install ${root}` : `${root} cannot be installed yet.`,
        "This built the entries on the server's machine and ran nothing. Types: run `svc plugin types --check` and `npx tsc --noEmit` in the folder.",
      ];
      return { exitCode: problems.length === 0 ? 0 : 1, stdout: lines.join("\n") };
    },
  });

  svc.cli.register(
    defineCli({
      name: "plugin-author",
      summary: "Read how plugins are written, and check one",
      commands: {
        guide: pages("guide", "Read the guide: how to do one thing"),
        reference: pages("reference", "Read the reference: the topic `commands` has those of svc, the others the types of the SDK"),
        check,
      },
    }),
  );
}

function listing(kind: Kind): string {
  const topics = listTopics(kind);
  const width = Math.max(...topics.map(({ name }) => name.length));
  return [...topics.map(({ name, title }) => `${name.padEnd(width)}  ${title}`), "", `svc plugin-author ${kind} <topic> shows one.`].join(
    "\n",
  );
}

function page(kind: Kind, topic: string): string {
  const file = findTopic(kind, topic);
  if (file === undefined) {
    throw new PluginCliError(`there is no topic "${topic}"`, {
      code: "unknown_topic",
      hint: `svc plugin-author ${kind} lists the topics`,
    });
  }
  // Whoever reads it has no folder that a relative path would be meant from.
  return readFileSync(file, "utf8").replaceAll("](../examples/", `](${join(import.meta.dirname, "examples")}/`);
}
