import type { Provider, Thread } from "#sdk/records.js";
import type { TimelineRowStatus } from "#sdk/timeline.js";

/** What the matter is with a thread, and what can be done about it. */
export interface ThreadNotice {
  readonly tone: "info" | "warning" | "error";
  readonly title: string;
  readonly text: string;
  readonly action: "retry" | "unarchive" | null;
}

const say = (tone: ThreadNotice["tone"], title: string, text: string, action: ThreadNotice["action"] = null): ThreadNotice => ({
  tone,
  title,
  text,
  action,
});

/** Seconds until the machine counts as lost; null when nobody counts. */
export function secondsOfGrace({ runtime: { hostReconnectGraceExpiresAt } }: Pick<Thread, "runtime">, now: number): number | null {
  return hostReconnectGraceExpiresAt === null ? null : Math.max(0, Math.ceil((hostReconnectGraceExpiresAt - now) / 1000));
}

/** Whether the agent works, so that it can be stopped and what is sent waits or steers. */
export const isRunning = ({ status }: Pick<Thread, "status">): boolean => status === "starting" || status === "active";

/**
 * Whether the last turn can be asked again: it failed, was interrupted or was stopped, and nothing else is under way. `end` is the status of
 * its row, null without one. What is archived is taken out first.
 */
export function canRetry({ status, archivedAt, deletedAt }: Thread, end: TimelineRowStatus | null): boolean {
  const endedBadly = status === "error" || (status === "idle" && (end === "error" || end === "interrupted"));
  return endedBadly && archivedAt === null && deletedAt === null;
}

/** An agent as far as a notice needs it. */
type Agent = Pick<Provider, "displayName" | "available" | "unavailableReason">;

/** Why nobody would answer, for a thread that is at rest. */
function agentNotice(agent: Agent | null | undefined, providerId: string): ThreadNotice | null {
  if (agent === null) {
    return say("warning", `The agent “${providerId}” is gone`, "No machine has it and nothing configures it. What you write is kept.");
  }
  return agent === undefined || agent.available
    ? null
    : say("warning", `${agent.displayName} cannot be used now`, agent.unavailableReason ?? "Its machine does not say why.");
}

interface Around {
  readonly now: number;
  /** Undefined until it is known, null when there is none of that name. */
  readonly agent: Agent | null | undefined;
  /** It was removed; one that is only away is not. */
  readonly isMachineGone?: boolean;
  /** What is done before the agent begins, or waited for. */
  readonly step?: string | null;
}

/** What stands above the composer; null when all is well. */
export function threadNotice(thread: Thread, { now, agent, isMachineGone = false, step = null }: Around): ThreadNotice | null {
  if (thread.deletedAt !== null) {
    return say("warning", "This thread is deleted", "Its messages go with it.");
  }
  if (thread.archivedAt !== null) {
    return say("info", "This thread is archived", "Take it out of the archive to go on.", "unarchive");
  }
  if (isMachineGone && !isRunning(thread)) {
    return say("warning", "The machine of this thread was removed", "Fork the thread, or start a new one on a machine that is there.");
  }
  const { displayStatus } = thread.runtime;
  const seconds = secondsOfGrace(thread, now);
  switch (displayStatus) {
    case "host-reconnecting":
      return say(
        "warning",
        "The machine is away",
        seconds === null || seconds <= 0
          ? "The agent goes on when it is back."
          : `The agent goes on when it is back within ${seconds} s; else the turn ends.`,
      );
    case "waiting-for-host":
      return say("warning", "The machine is not connected", "What you send waits until it is.");
    case "provisioning":
      return step === null
        ? say("info", "The workspace is being prepared", "The agent starts when it is ready.")
        : say("info", "The agent has not begun yet", step);
    case "starting":
      return say("info", "The agent starts", "Your message is on its way.");
    case "stopping":
      return say("info", "The agent is being stopped", "What it did so far stays.");
    case "pending":
      return say("info", "The first message waits", "The thread starts when it is sent.");
    case "error":
      return say("error", "The last turn failed", "The conversation does not say why. The agent can be asked again.", "retry");
    default:
      // An agent that works is there, whatever a list says.
      return isRunning(thread) ? null : agentNotice(agent, thread.providerId);
  }
}
