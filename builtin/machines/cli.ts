import { cliCommand, defineCli, PluginCliError, type PluginCliRegistration, type PluginSdk } from "@get-svc/plugin-sdk";

import { findMachine, MachineError } from "./machines.ts";
import { tailOf } from "./plain_text.ts";
import { endingText } from "./report.ts";
import { kMostSeconds, runCommand } from "./run.ts";

/** As `timeout` of the coreutils says it. */
const kTimedOut = 124;
/** Below lim.cliOutput, which counts stderr too. */
const kMostBytes = 1_000_000;

/** `svc machines run`: what `svc terminal open` is for people, for scripts. */
export function runCli(sdk: PluginSdk): PluginCliRegistration {
  const run = cliCommand({
    summary: "Run a command on a machine, wait for its end, and end with its exit code",
    description:
      "Prints its output (stdout and stderr together, at most the last megabyte) when it has ended. Several words are joined by spaces, as ssh does; nothing can be typed into it.",
    positionals: [{ name: "machine", description: "Name or id, or the beginning of one", required: true }],
    options: {
      cwd: { type: "string", placeholder: "DIR", description: "Folder there; without it the home of the daemon's user" },
      timeout: {
        type: "duration",
        min: 1_000,
        max: kMostSeconds * 1_000,
        default: kMostSeconds * 1_000,
        description: "End it by force after this time (exit code 124)",
      },
    },
    passthrough: true,
    async run({ positionals, options, passthrough }, { signal }) {
      const command = passthrough.join(" ");
      if (command.trim() === "") {
        throw new PluginCliError("there is no command", {
          code: "missing_required",
          hint: "svc machines run <machine> -- <command…>",
          exitCode: 2,
        });
      }
      try {
        const machine = await findMachine(sdk, positionals.machine, signal);
        const outcome = await runCommand(sdk, { machine, cwd: options.cwd ?? null, command, timeoutMs: options.timeout }, { signal });
        const { text, leftOutBytes } = tailOf(outcome.text, kMostBytes);
        const cut = outcome.isBeginningGone || leftOutBytes > 0 ? ["only the end of the output is shown"] : [];
        const { ending } = outcome;
        return ending.kind === "exited"
          ? { exitCode: ending.exitCode, stdout: text, stderr: cut.join("\n") }
          : {
              exitCode: ending.kind === "timeout" ? kTimedOut : 1,
              stdout: text,
              stderr: [...cut, endingText(machine.name, outcome)].join("\n"),
            };
      } catch (error) {
        throw error instanceof MachineError ? new PluginCliError(error.message, { code: "machine_failed" }) : error;
      }
    },
  });
  return defineCli({ name: "machines", summary: "Run commands on the machines of the service", commands: { run } });
}
