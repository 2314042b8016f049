import type { TurnEnd } from "@/api/threads";

/** Why a turn did not end well, and what to do next. */
export interface FailureText {
  readonly title: string;
  readonly text: string;
  /** What somebody can do about it. */
  readonly next: string;
}

/** Somebody wanted it to end. */
const kWanted = new Set(["thread-stopped", "manual-stop", "thread-archived"]);

const kAgain = "Try again; nothing of the conversation is lost.";
const kGoOn = "What it said so far is kept. Trying again asks the same from the beginning.";

/** By the code of the service; codes that are not here are said in its words alone. */
const kByCode: Record<string, Pick<FailureText, "title" | "next">> = {
  unauthorized: {
    title: "The agent wants somebody to sign in",
    next: "Start the agent’s own program in a terminal on its machine, sign in there, then try again.",
  },
  host_unavailable: { title: "The machine could not be reached", next: "See under Machines whether it is connected, then try again." },
  unknown_host: { title: "The machine is gone", next: "Start a new thread on a machine that is there." },
  unavailable: {
    title: "The agent did not start",
    next: "Its program must start on the machine: put right what it says, then try again.",
  },
  dispatch_rejected: { title: "A plugin did not let the message through", next: "Put right what it says, then send the message again." },
  not_supported: { title: "The agent cannot do this", next: "Choose another agent or another setting for the message." },
  unknown_path: { title: "The folder is not there", next: "Put the folder back, or change where the project is, then try again." },
  not_found: { title: "Something the thread needs is not there", next: "Put it back, then try again." },
  rate_limit: { title: "The agent’s limit is used up", next: "Wait until it is open again, then try again." },
  max_tokens: { title: "The answer became too long", next: kGoOn },
  max_turn_requests: { title: "The agent took as many steps as it may", next: kGoOn },
  refusal: { title: "The agent refused", next: "Say it in other words, or ask another agent." },
  agent_error: { title: "The agent gave up", next: kAgain },
  "server-restarted": { title: "The service was restarted while the agent worked", next: kAgain },
  "server-restart": { title: "The service was restarted while the agent worked", next: kAgain },
  "host-daemon-restarted": { title: "The machine’s service was restarted while the agent worked", next: kAgain },
  "host-lost": { title: "The machine was lost while the agent worked", next: "When the machine is back, try again." },
};

/** Null when nothing is to be said: it was stopped by somebody. `hasBegun` is false for a message that the agent never saw. */
export function failureText(end: TurnEnd, { hasBegun }: { hasBegun: boolean }): FailureText | null {
  const { code, message } = end;
  if (code !== null && kWanted.has(code)) {
    return null;
  }
  const known = code === null ? undefined : kByCode[code];
  return {
    title: known?.title ?? (hasBegun ? "The agent could not finish" : "The message was not run"),
    text: message === "" ? `The service says only: ${code}.` : message,
    next: known?.next ?? (hasBegun ? kAgain : "Put right what it says, then try again."),
  };
}
