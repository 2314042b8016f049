import type { TimelineRow } from "#sdk/records.js";

import type { TurnEnd } from "@/api/threads";
import { ownMember } from "@/lib/own";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

/** Why a turn did not end well, and what to do next. */
export interface FailureText {
  readonly title: string;
  readonly text: string;
  /** What somebody can do about it. */
  readonly next: string;
}

/** How the end of a turn is told: somebody wanted it, or something came in between. */
export type ShownEnd = { readonly kind: "stopped" } | { readonly kind: "failed"; readonly said: FailureText };

/** Somebody wanted it to end. */
const kWanted = new Set(["thread-stopped", "manual-stop", "thread-archived"]);

const kAgain = "What was said stays. Retry sends the message again.";
const kGoOn = "What it said so far is kept. Trying again asks the same from the beginning.";

/** By the code of the service; codes that are not here are said in its words alone. */
const kByCode: Record<string, Pick<FailureText, "title" | "next">> = {
  unauthorized: {
    title: "The agent wants somebody to sign in",
    // Where, the service says.
    next: "When somebody has, try again.",
  },
  host_unavailable: { title: "The machine could not be reached", next: "See under Machines whether it is connected, then try again." },
  unknown_host: { title: "The machine is gone", next: "Start a new thread on a machine that is there." },
  unavailable: {
    title: "The agent did not start",
    next: "Its program must start on the machine: put right what it says, then try again.",
  },
  timeout: {
    title: "The agent did not start in time",
    next: "Its program must answer on the machine: look what it says in a terminal there, then try again.",
  },
  incompatible: { title: "The service cannot talk to this agent", next: "Put right what it says, or choose another agent." },
  dispatch_rejected: { title: "A plugin did not let the message through", next: "Put right what it says, then send the message again." },
  not_supported: { title: "The agent cannot do this", next: "Choose another agent or another setting for the message." },
  unknown_path: { title: "The folder is not there", next: "Do what it says, or change where the project is, then try again." },
  not_found: { title: "Something the thread needs is not there", next: "Put it back, then try again." },
  rate_limit: { title: "The agent’s limit is used up", next: "Wait until it is open again, then try again." },
  max_tokens: { title: "The answer became too long", next: kGoOn },
  max_turn_requests: { title: "The agent took as many steps as it may", next: kGoOn },
  refusal: { title: "The agent refused", next: "Say it in other words, or ask another agent." },
  agent_ended: { title: "The agent’s program ended while it worked", next: kAgain },
  agent_error: { title: "The agent gave up", next: kAgain },
  "server-restarted": { title: "The service was restarted while the agent worked", next: kAgain },
  "server-restart": { title: "The service was restarted while the agent worked", next: kAgain },
  "host-daemon-restarted": { title: "The machine’s service was restarted while the agent worked", next: kAgain },
  "host-removed": {
    title: "The machine was removed while the agent worked",
    next: "What was said stays. Fork the thread, or start a new one on a machine that is there.",
  },
  "host-lost": { title: "The machine was lost while the agent worked", next: `When the machine is back, try again. ${kAgain}` },
};

/** Of a turn that the agent began, or of a message that it never saw. */
export function failureText({ code, message }: TurnEnd, { hasBegun }: { hasBegun: boolean }): FailureText {
  const known = code === null ? undefined : ownMember(kByCode, code);
  return {
    title: known?.title ?? (hasBegun ? "The agent could not finish" : "The message was not run"),
    text: message === "" ? `The service says only: ${code}.` : message,
    next: known?.next ?? (hasBegun ? kAgain : "Put right what it says, then try again."),
  };
}

/** Null for a turn that ended well, and for one that failed without a reason. `end` is what the log says of it, null when that is nothing. */
export function shownEnd({ status, turnId }: Pick<TurnRow, "status" | "turnId">, end: TurnEnd | null): ShownEnd | null {
  if (end === null ? status === "interrupted" : end.code !== null && kWanted.has(end.code)) {
    return { kind: "stopped" };
  }
  return end === null ? null : { kind: "failed", said: failureText(end, { hasBegun: turnId !== null }) };
}
