import type { JsonValue } from "./json.js";

// What agents and plugins ask the user, and how it is answered.

/** What an agent may do beside its mode. */
export interface PermissionGrant {
  fileSystem: { read: string[]; write: string[] } | null;
  network: { enabled: boolean | null } | null;
}

/**
 * What an agent asks to do: run a command, change files, have more permissions, follow a plan, or use another tool. `sessionGrant` is what
 * `allow_for_session` would allow.
 */
export type ApprovalSubject =
  | { kind: "command"; itemId: string; command: string; cwd: string | null; actions: JsonValue[]; sessionGrant: PermissionGrant | null }
  | { kind: "file_change"; itemId: string; writeScope: JsonValue; sessionGrant: PermissionGrant | null }
  | { kind: "permission_grant"; itemId: string; toolName: string | null; permissions: PermissionGrant }
  | { kind: "plan"; itemId: string; plan: string; planFilePath: string | null }
  | { kind: "tool_use"; itemId: string; toolName: string; title: string };

/** `allow_for_session` is good for the same again, for as long as this session of the agent lasts. */
export type ApprovalDecision = "allow_once" | "allow_for_session" | "deny";

/** An answer is one of the options, or free text of up to 4,096 characters. */
export interface UserQuestion {
  id: string;
  prompt: string;
  shortLabel?: string;
  /** Up to 4. */
  options?: { value: string; label: string; description?: string }[];
  multiSelect: boolean;
  allowFreeText: boolean;
  /** May be left out of the answers. */
  optional?: boolean;
  /** What a free text has to be: a number, as people write it. */
  expects?: { type: "number" | "integer"; minimum?: number; maximum?: number };
}

/** What an interaction asks: an approval, questions of an agent, or the form of a plugin, whose `data` its renderer understands. */
export type InteractionPayload =
  | { kind: "approval"; subject: ApprovalSubject; reason: string | null; availableDecisions: ApprovalDecision[] }
  /** Up to 4 questions. */
  | { kind: "user_question"; questions: UserQuestion[] }
  | { kind: "plugin"; title: string; data: JsonValue; presentation?: JsonValue };

/** Answers by the id of the question: values of the chosen options, and the free text. */
export interface UserAnswers {
  [questionId: string]: { selected: string[]; freeText?: string };
}

/** How an interaction was answered. */
export type InteractionResolution =
  | { decision: "allow_once" | "allow_for_session"; grantedPermissions: PermissionGrant | null }
  | { decision: "deny" }
  | { kind: "user_answer"; answers: UserAnswers }
  /** The value itself goes to the waiting plugin only. */
  | { kind: "plugin_submitted"; description?: JsonValue };

/**
 * A question to the user: of an agent, or of a plugin by `svc.ui.requestInput`.
 * Times are epoch milliseconds, null for what has not happened.
 */
export interface Interaction {
  id: string;
  threadId: string;
  turnId: string | null;
  /** `resolving`: the first answer is on its way; `interrupted`: it ended without one, `statusReason` says why. */
  status: "pending" | "resolving" | "resolved" | "interrupted";
  /** Why it has this status, such as `timeout`; null when there is nothing to say. */
  statusReason: string | null;
  origin:
    | { kind: "provider"; providerId: string; providerRequestId: string; providerThreadId: string }
    | { kind: "plugin"; pluginId: string; rendererId: string };
  /** As in `origin`, of an agent's interaction. */
  providerId?: string;
  providerRequestId?: string;
  providerThreadId?: string;
  payload: InteractionPayload;
  /** Null until it is resolved. */
  resolution: InteractionResolution | null;
  createdAt: number;
  resolvedAt: number | null;
  /** Null for those of agents: they wait until they are answered or the turn ends. */
  expiresAt: number | null;
}
