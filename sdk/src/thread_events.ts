import type { JsonValue } from "./json.js";
import type {
  ApprovalSubject,
  InputBlock,
  Interaction,
  InteractionPayload,
  InteractionResolution,
  PermissionMode,
  ReasoningLevel,
  ServiceTier,
} from "./records.js";
import type { BackgroundTaskItem, ThreadItem } from "./thread_items.js";
import type { ContextWindowUsage, Goal } from "./timeline.js";
import type { UnknownType } from "./unknown_type.js";

// The durable log of a thread. Times are epoch milliseconds.

/** In the data of every event that comes from an agent. */
export interface OfAgent {
  /** The agent's own id of its session. */
  providerThreadId: string | null;
}

/** A message that was accepted for a thread, joined from several when they were queued together. */
export interface TurnRequested {
  requestId: string;
  input: InputBlock[];
  /** The messages that were joined, when queued ones were. */
  inputGroups?: InputBlock[][];
  initiator: "user" | "agent" | "system";
  /** The thread whose agent sent it; null for others. */
  senderThreadId: string | null;
  /** `spawn`: the first message of the thread; `tell`: a later one. */
  source: "spawn" | "tell";
  target: { kind: "thread-start" } | { kind: "new-turn" } | { kind: "auto" | "steer"; expectedTurnId: string | null };
  execution: {
    model: string | null;
    permissionMode: PermissionMode;
    reasoningLevel: ReasoningLevel | null;
    serviceTier: ServiceTier;
    source: "client/turn/requested";
  };
  /** 1 for the first; `continuationOfRequestId` is the one that is tried again. */
  attempt: number;
  continuationOfRequestId?: string;
  systemMessageKind?: string;
}

/** Tokens of a model, as the agent counts them. */
export interface TokenCounts {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
  totalTokens: number;
}

/** How much the provider still allows, as the agent was told. */
export interface RateLimits {
  providerId: string;
  kind: "subscription-window" | "spend-control" | "credits" | "unknown";
  status: "allowed" | "warning" | "blocked" | "unknown";
  windows: {
    label: string | null;
    providerKey: string | null;
    status: "allowed" | "warning" | "blocked" | "unknown";
    resetsAtMs: number | null;
  }[];
  /** Null unless a limit was reached. */
  reachedReason: string | null;
  overageStatus: string | null;
  overageReason: string | null;
}

/** Why the provider failed. Codes are null where the agent names none. */
export interface ProviderErrorInfo {
  category:
    | "rate-limit"
    | "billing"
    | "unauthorized"
    | "overloaded"
    | "context-window-exceeded"
    | "policy"
    | "internal"
    | "unknown"
    | (string & {});
  providerCode: string | number | null;
  httpStatusCode: number | null;
}

interface AgentInteraction {
  interactionId: string;
  providerId: string;
  providerRequestId: string;
  status: Interaction["status"];
  statusReason: string | null;
  resolution: InteractionResolution | null;
}

/** What an event says, by its type. */
export interface ThreadEventData {
  "client/turn/requested": TurnRequested;
  /** A hook, the machine or the agent refused it before it began. */
  "client/turn/rejected": { requestId: string; reason: string; message: string };
  /** The one event that has both: its scope is the turn. */
  "turn/input/accepted": OfAgent & { clientRequestId: string; requestId: string };
  /** Only turns of subagents have `parentToolCallId`. */
  "turn/started": OfAgent & { turnId: string; parentToolCallId?: string };
  "turn/completed": OfAgent & {
    turnId: string;
    parentToolCallId?: string;
    status: "completed" | "failed" | "interrupted";
    error?: { message: string; code?: string };
  };
  /** In place of the plan before. */
  "turn/plan/updated": OfAgent & {
    explanation?: string;
    plan: { step: string; status?: "pending" | "active" | "completed" | "failed" }[];
  };
  /** A second one for an item says how it has changed. */
  "item/started": OfAgent & { item: ThreadItem };
  "item/completed": OfAgent & { item: ThreadItem };
  "item/backgroundTask/progress": OfAgent & { item: BackgroundTaskItem };
  "item/backgroundTask/completed": OfAgent & { item: BackgroundTaskItem };
  "thread/started": {};
  /** At each new or resumed session of the agent. */
  "thread/identity": OfAgent;
  "thread/name/updated": OfAgent & { threadName: string };
  "thread/compacted": OfAgent;
  "thread/context/cleared": OfAgent;
  "thread/goal/updated": OfAgent & Pick<Goal, "objective" | "status" | "tokenBudget" | "tokensUsed" | "timeUsedSeconds">;
  "thread/goal/cleared": OfAgent;
  "thread/contextWindowUsage/updated": OfAgent & { contextWindowUsage: ContextWindowUsage };
  "thread/tokenUsage/updated": OfAgent & { tokenUsage: { last: TokenCounts; total: TokenCounts; modelContextWindow: number | null } };
  "provider/error": OfAgent & { message: string; detail?: string; willRetry?: boolean; errorInfo?: ProviderErrorInfo };
  "provider/rateLimits/updated": OfAgent & { rateLimits: RateLimits };
  "provider/warning": OfAgent & {
    category: "general" | "config" | "deprecation" | "compaction-skipped";
    summary?: string;
    details?: string;
  };
  "provider/modelFallback": OfAgent & {
    originalModel: string;
    fallbackModel: string;
    reason: "provider" | "refusal";
    message: string;
  };
  "system/error": { message: string; code?: string; detail?: string };
  "system/operation": { operation: string; operationId: string; status: string; message: string; metadata?: JsonValue };
  "system/thread-provisioning": {
    environmentId: string | null;
    provisioningId: string;
    status: "active" | "completed" | "failed" | "cancelled";
    entries: { key: string; type: "step" | "output"; text: string; status?: string; startedAt?: number }[];
  };
  /** At each change of an approval. */
  "system/permissionGrant/lifecycle": AgentInteraction & { subject: ApprovalSubject };
  /** At each change of a question. */
  "system/userQuestion/lifecycle": AgentInteraction & { payload: Extract<InteractionPayload, { kind: "user_question" }> };
  /** At each change of a plugin's form. The answer is not in it. */
  "system/pluginInteraction/lifecycle": {
    interactionId: string;
    pluginId: string;
    rendererId: string;
    title: string;
    status: Interaction["status"];
    statusReason: string | null;
    description?: JsonValue;
  };
  "system/thread/interrupted": {
    reason: "manual-stop" | "host-daemon-restarted" | "host-lost" | "server-restart" | "thread-archived" | (string & {});
  };
}

interface ThreadEventBase {
  id: string;
  /** Increases by one per thread. */
  seq: number;
  threadId: string;
  /** `turn`: what happens within one, `turn/*` and `item/*` always. */
  scope: { kind: "thread" } | { kind: "turn"; turnId: string };
  createdAt: number;
}

type KnownThreadEvents = { [Type in keyof ThreadEventData]: ThreadEventBase & { type: Type; data: ThreadEventData[Type] } };

/** Of a newer service. */
export interface UnknownThreadEvent extends ThreadEventBase {
  type: UnknownType;
  data: { [key: string]: JsonValue };
}

/** One entry of a thread's durable log; `type` tells what is in `data`. Ignore types you do not know. */
export type ThreadEvent = KnownThreadEvents[keyof ThreadEventData] | UnknownThreadEvent;

/** What a type of event may be asked for by: those of a newer service too. */
export type ThreadEventType = keyof ThreadEventData | (string & {});

/** The event of a type; of several for a union of types, of any for a `string`. */
export type ThreadEventOf<Type extends string> = Type extends keyof ThreadEventData
  ? KnownThreadEvents[Type]
  : string extends Type
    ? ThreadEvent
    : UnknownThreadEvent;
