/** What came of a command, for agents and for the command line. */
import type { Host } from "@get-svc/plugin-sdk";

import { sizeText } from "./machines.ts";
import { tailOf } from "./plain_text.ts";
import type { Outcome } from "./run.ts";

/** Of the end of an output, for an agent. */
const kShownBytes = 32 * 1024;

export interface Report {
  text: string;
  isError: boolean;
}

export function reportOf({ name }: Host, outcome: Outcome): Report {
  const { ending, isBeginningGone, text, terminalId } = outcome;
  const tail = tailOf(text, kShownBytes);
  const advice = "Write long output to a file, and read that with machine_read.";
  const late = ending.kind === "timeout" ? ["Give more timeoutSeconds, or start long work in the background (skill machines)."] : [];
  const cut = isBeginningGone
    ? [`Only its end is shown: more came than the service keeps. ${advice}`]
    : tail.leftOutBytes > 0
      ? [
          `The first ${sizeText(tail.leftOutBytes)} of its output are left out; \`svc terminal output ${terminalId}\` has them for a day. ${advice}`,
        ]
      : [];
  return {
    text: [endingText(name, outcome), ...late, ...cut, "", tail.text === "" ? "(no output)" : tail.text].join("\n"),
    isError: ending.kind !== "exited" || ending.exitCode !== 0,
  };
}

export function endingText(machine: string, { ending, ms, terminalId }: Outcome): string {
  const took = `${(ms / 1_000).toFixed(1)} s`;
  switch (ending.kind) {
    case "exited":
      return `exit code ${ending.exitCode} after ${took} on ${machine}`;
    case "timeout":
      return `no end after ${took} on ${machine}: it was ended by force`;
    case "lost":
      return `${machine} is not connected any more: the command may go on there. When it is back, \`svc terminal output ${terminalId}\` has its output.`;
    case "closed":
      return `ended from outside after ${took} on ${machine}: its terminal was closed, or the machine's daemon has ended`;
  }
}
