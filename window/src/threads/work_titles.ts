import type { JsonValue } from "#sdk/json.js";
import type { TimelineRow } from "#sdk/records.js";

import { formatDuration } from "@/lib/format";
import { interruptionText } from "./interaction_text";
import { isKeptPicture } from "./kept_picture";

export type WorkRow = Extract<TimelineRow, { kind: "work" }>;

/** What the header of a row says. */
export interface WorkTitle {
  /** A name of lucide. */
  readonly icon: string;
  readonly title: string;
  /** What it is about: a command, a path, an address. */
  readonly subject: string | null;
  /** Numbers and results behind it. */
  readonly detail: string | null;
}

interface Verbs {
  /** What somebody was asked for, and did not allow: wants to …. */
  asked?: string;
  pending: string;
  completed: string;
}

/** Whether it has not begun, because somebody is asked first. */
export const isWaiting = (row: WorkRow): boolean =>
  row.status === "pending" &&
  ("approvalStatus" in row
    ? row.approvalStatus === "waiting_for_approval"
    : (row.workKind === "approval" && (row.lifecycle === "pending" || row.lifecycle === "waiting")) ||
      (row.workKind === "question" && row.lifecycle === "pending"));

/** Whether somebody said no, so that it was never done. */
export const isDenied = (row: WorkRow): boolean => row.status !== "pending" && "approvalStatus" in row && row.approvalStatus === "denied";

/** Nobody allowed it, so it was not done. */
const isNotDone = (row: WorkRow): boolean => isWaiting(row) || ("approvalStatus" in row && row.approvalStatus !== null);

function verb(row: WorkRow, { asked = "go on with", pending, completed }: Verbs): string {
  const isPending = row.status === "pending";
  return isNotDone(row) ? `${isPending ? "Wants" : "Wanted"} to ${asked}` : isPending ? pending : completed;
}
const say = (icon: string, title: string, subject: string | null = null, detail: string | null = null): WorkTitle => ({
  icon,
  title,
  subject,
  detail,
});

function commandTitle(row: WorkRow & { workKind: "command" }): WorkTitle {
  const [intent] = row.activityIntents;
  const took = row.completedAt === null ? null : formatDuration(Math.max(0, row.completedAt - row.startedAt));
  const code = row.exitCode === null || row.exitCode === 0 ? null : `exit code ${row.exitCode}`;
  const detail = [code, took].filter((part) => part !== null).join(" · ") || null;
  if (row.activityIntents.length === 1 && intent !== undefined) {
    switch (intent.type) {
      case "read":
        return say(
          "file-text",
          verb(row, { asked: "read", pending: "Reading", completed: "Read" }),
          intent.path ?? intent.name ?? row.command,
          detail,
        );
      case "list_files":
        return say("folder", verb(row, { asked: "list", pending: "Listing", completed: "Listed" }), intent.path ?? row.command, detail);
      case "search":
        return say(
          "search",
          verb(row, { asked: "search for", pending: "Searching for", completed: "Searched for" }),
          intent.query ?? row.command,
          detail,
        );
      default:
        break;
    }
  }
  return say("terminal", verb(row, { asked: "run", pending: "Running", completed: "Ran" }), row.command, detail);
}

const kFileVerbs: Record<string, Verbs> = {
  add: { asked: "add", pending: "Adding", completed: "Added" },
  delete: { asked: "delete", pending: "Deleting", completed: "Deleted" },
  update: { asked: "change", pending: "Changing", completed: "Changed" },
};

function fileTitle(row: WorkRow & { workKind: "file-change" }): WorkTitle {
  const { path, kind, movePath, diffStats } = row.change;
  const stats = diffStats.added + diffStats.removed === 0 ? null : `+${diffStats.added} −${diffStats.removed}`;
  if (movePath !== null) {
    return say("file-pen", verb(row, { asked: "move", pending: "Moving", completed: "Moved" }), `${path} → ${movePath}`, stats);
  }
  return say("file-pen", verb(row, kFileVerbs[kind] ?? kFileVerbs.update!), path, stats);
}

const kApprovalTexts: Record<string, string> = {
  pending: "Asks for your permission",
  waiting: "Asks for your permission",
  resolving: "Being answered",
  granted: "Allowed",
  denied: "Denied",
  interrupted: "No longer asked",
};

const kQuestionTexts: Record<string, string> = {
  pending: "Asks you",
  resolving: "Being answered",
  answered: "Answered",
  interrupted: "No longer asked",
};

/** What a plugin says of its tool; what an agent says of its own can be anything. */
interface Presentation {
  label?: Partial<Verbs>;
  icon?: { glyph?: unknown };
  tint?: { light?: unknown; dark?: unknown };
}

const presentationOf = (value: JsonValue | undefined): Presentation =>
  typeof value === "object" && value !== null ? (value as Presentation) : {};

function labelsOf(presentation: JsonValue | undefined): Verbs | undefined {
  const { label } = presentationOf(presentation);
  return typeof label?.pending === "string" && typeof label.completed === "string"
    ? { pending: label.pending, completed: label.completed }
    : undefined;
}

/** The colour of the icon, where a plugin gives it one. */
export function tintOf(row: WorkRow, mode: "light" | "dark"): string | undefined {
  const tint = row.workKind === "tool" ? presentationOf(row.presentation).tint?.[mode] : undefined;
  return typeof tint === "string" ? tint : undefined;
}

/** Says in words what a row of work is; kinds of a newer service are said by their name. */
export function workTitle(row: WorkRow): WorkTitle {
  switch (row.workKind) {
    case "command":
      return commandTitle(row);
    case "file-change":
      return fileTitle(row);
    case "tool": {
      const labels = row.statusLabels ?? labelsOf(row.presentation);
      const glyph = presentationOf(row.presentation).icon?.glyph;
      const icon = typeof glyph === "string" ? glyph : "wrench";
      return labels === undefined ? say(icon, row.toolName) : say(icon, verb(row, { asked: "use", ...labels }), row.toolName);
    }
    case "web-search":
      return say("globe", verb(row, { pending: "Searching the web", completed: "Searched the web" }), row.queries.join(", ") || null);
    case "web-fetch":
      return say("globe", verb(row, { pending: "Fetching", completed: "Fetched" }), row.url);
    case "image-view":
      return say("image", verb(row, { pending: "Looking at", completed: "Looked at" }), isKeptPicture(row.path) ? "a picture" : row.path);
    case "approval":
      return say(
        "shield-question",
        row.grantScope === "session" ? "Allowed for this session" : (kApprovalTexts[row.lifecycle] ?? row.lifecycle),
        row.target.toolName,
        row.statusReason === null ? null : interruptionText(row.statusReason),
      );
    case "question":
      return say("message-circle-question", kQuestionTexts[row.lifecycle] ?? row.lifecycle, row.questions[0]?.prompt ?? null);
    case "delegation":
      return say("bot", row.subagentType ?? row.toolName, row.description);
    case "workflow":
      return say(
        "workflow",
        row.description,
        null,
        row.usage === null ? row.taskStatus : `${row.usage.totalTokens.toLocaleString("en")} tokens`,
      );
    case "reasoning":
      return say("brain", verb(row, { pending: "Thinking", completed: "Thought" }));
    case "plan":
      return say("list-todo", "Plan");
    default:
      return say("circle-dashed", (row as { workKind: string }).workKind);
  }
}
