import type { Terminal } from "@/api/terminals";
import type { Shortcut } from "@/lib/shortcuts";
import type { BadgeTone } from "@/ui";

/** Tab belongs to the shell: these keys lead out of a terminal. */
export const kLeaveShortcut: Shortcut = { key: "l", control: true, shift: true };
/** Preference: whether terminals keep their text where screen readers find it. */
export const kScreenReaderKey = "terminals.screen-reader";
/** Characters of a title. */
export const kTitleMax = 200;

export const isLive = ({ status }: Pick<Terminal, "status">) => status !== "exited";

export function terminalBadge({ status, exitCode }: Pick<Terminal, "status" | "exitCode">): { label: string; tone: BadgeTone } {
  switch (status) {
    case "starting":
      return { label: "Starting", tone: "neutral" };
    case "running":
      return { label: "Running", tone: "success" };
    case "disconnected":
      return { label: "Machine away", tone: "warning" };
    default:
      return exitCode === null || exitCode === 0 ? { label: "Ended", tone: "neutral" } : { label: `Ended with ${exitCode}`, tone: "error" };
  }
}

/** Why a terminal has ended, as a sentence. */
export function endText({ closeReason, exitCode }: Pick<Terminal, "closeReason" | "exitCode">): string {
  const code = exitCode === null ? "" : ` Its exit code is ${exitCode}.`;
  switch (closeReason) {
    case "user":
      return `It was closed.${code}`;
    case "daemon-disconnect":
      return "Its machine's daemon was started anew, and what ran in it has ended.";
    case "environment-destroyed":
      return "It was closed with the environment that it belonged to.";
    case "thread-archived":
      return "It was closed when its thread was archived.";
    case "thread-deleted":
      return "It was closed when its thread was deleted.";
    case "open-timeout":
      return "The machine did not start its shell in time. Try again, or look at the log of svc-hostd on the machine.";
    default:
      return exitCode === null ? "What ran in it has ended." : `What ran in it has ended with exit code ${exitCode}.`;
  }
}

/** By age, those that have ended last. */
export function sortTerminals(terminals: readonly Terminal[]): Terminal[] {
  return [...terminals].sort((a, b) => Number(isLive(b)) - Number(isLive(a)) || a.createdAt - b.createdAt);
}
