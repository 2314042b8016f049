import type { JsonValue } from "#sdk/json.js";
import type { ApprovalDecision, ApprovalSubject, Interaction, PermissionGrant } from "#sdk/records.js";
import { ownMember } from "@/lib/own";

const kTitles: Record<ApprovalSubject["kind"], string> = {
  command: "Run this command?",
  file_change: "Change files?",
  permission_grant: "Allow more?",
  plan: "Go ahead with this plan?",
  tool_use: "Use this tool?",
};

export const approvalTitle = (subject: ApprovalSubject): string => ownMember(kTitles, subject.kind) ?? "The agent asks";

/** What is asked, in one line. */
export function askedText({ payload }: Interaction): string {
  switch (payload.kind) {
    case "approval": {
      const { subject } = payload;
      const about = subject.kind === "command" ? subject.command : subject.kind === "tool_use" ? subject.title : null;
      return about === null ? approvalTitle(subject) : `${approvalTitle(subject)} ${about}`;
    }
    case "user_question":
      return payload.questions.map(({ prompt }) => prompt).join(" ");
    case "plugin":
      return payload.title;
    default:
      return "A question";
  }
}

/** What a grant opens, in words. */
export function grantTexts(grant: PermissionGrant | null): string[] {
  const { fileSystem, network } = grant ?? { fileSystem: null, network: null };
  return [
    ...(fileSystem?.read.map((path) => `Read ${path}`) ?? []),
    ...(fileSystem?.write.map((path) => `Write ${path}`) ?? []),
    ...(network?.enabled === true ? ["Use the network"] : []),
  ];
}

const kVerbs: Readonly<Record<string, string>> = { read: "Reads ", list_files: "Lists ", search: "Searches for " };

/** What the agent says that its command does, in words; one of a kind that is not known by its command, or not at all. */
export function actionTexts(actions: readonly JsonValue[]): string[] {
  return actions.flatMap((action) => {
    if (typeof action === "string") {
      return [action];
    }
    const { type, path, name, query, command } = (action ?? {}) as Partial<Record<string, JsonValue>>;
    const text = (...values: (JsonValue | undefined)[]) => values.find((value) => typeof value === "string" && value !== "");
    const about = text(type === "search" ? query : undefined, path, name, command);
    if (about === undefined) {
      return [];
    }
    const place = type === "search" && typeof path === "string" && path !== about ? ` in ${path}` : "";
    const verb = ownMember(kVerbs, String(type)) ?? "";
    return [`${verb}${String(about)}${place}`];
  });
}

/** What “Allow for this session” allows; null for what is asked anew each time. */
export function sessionScopeText(subject: ApprovalSubject): string | null {
  const lasts = "without being asked again, as long as this session of the agent lasts.";
  switch (subject.kind) {
    case "command":
      return `For this session: exactly this command in this folder, ${lasts}`;
    case "file_change":
      return `For this session: changes of files in ${subject.writeScope == null ? "the thread's folder" : "the same directories"}, ${lasts}`;
    case "tool_use":
      return `For this session: any use of ${subject.toolName}, ${lasts}`;
    case "permission_grant":
      return "For this session: as long as this session of the agent lasts.";
    default:
      return null;
  }
}

const kReasons: Record<string, string> = {
  user: "somebody cancelled it",
  timeout: "nobody answered in time",
  "request-aborted": "what asked it has ended",
  "turn-ended": "the turn is over",
  cancelled: "the agent was stopped",
  "thread-stopped": "the agent was stopped",
  "thread-archived": "the thread was archived",
  "thread-deleted": "the thread was deleted",
  "plugin-disposed": "the plugin that asked was stopped or loaded again",
  "server-restarted": "the service was started again",
  "host-lost": "the machine was lost",
  "host-removed": "the machine was removed",
  "host-daemon-restarted": "the machine’s service was started again",
  "agent-lost": "the agent has ended",
};

/** Why nobody needs to answer any more; reasons of a newer service in its own words. */
export const interruptionText = (reason: string): string => ownMember(kReasons, reason) ?? reason;

const kSaid: Record<ApprovalDecision, string> = {
  allow_once: "allowed once",
  allow_for_session: "allowed for the session",
  deny: "denied",
};

function answersText({ payload, resolution }: Interaction): string | null {
  if (resolution !== null && "description" in resolution && typeof resolution.description === "string") {
    return resolution.description;
  }
  if (resolution === null || !("answers" in resolution) || payload.kind !== "user_question") {
    return null;
  }
  const said = payload.questions.flatMap(({ id, options }) => {
    const { selected = [], freeText = "" } = ownMember(resolution.answers, id) ?? {};
    const chosen = selected.map((value) => options?.find((option) => option.value === value)?.label ?? value);
    return freeText === "" ? chosen : [...chosen, freeText];
  });
  return said.length === 0 ? null : said.join(", ");
}

/** How one ended that this window did not answer. */
export function endedText(interaction: Interaction): string {
  const { status, statusReason, resolution } = interaction;
  if (status === "interrupted") {
    return statusReason === null ? "It is no longer asked." : `It is no longer asked: ${interruptionText(statusReason)}`;
  }
  if (resolution !== null && "decision" in resolution) {
    return `It was ${ownMember(kSaid, resolution.decision) ?? resolution.decision} elsewhere.`;
  }
  const answers = answersText(interaction);
  return answers === null ? "It was answered elsewhere." : `It was answered elsewhere: ${answers}`;
}
