import type { JsonValue } from "./json.js";
import type { UnknownType } from "./unknown_type.js";

// What an agent says and does, as the log of a thread keeps it.

/** `pending`: it goes on; `interrupted`: the turn ended before it did. */
export type ThreadItemStatus = "pending" | "completed" | "failed" | "interrupted";

/** A text that was too long: its head and its tail were kept. `truncatedAt` is a time, the rest counts UTF-16 units. */
export interface TextTruncation {
  originalLength: number;
  retainedHeadLength: number;
  retainedTailLength: number;
  truncatedAt: number;
}

/** What all items have. */
export interface ThreadItemBase {
  id: string;
  /** The call of a tool that this belongs to, as that of a subagent. */
  parentToolCallId?: string;
  /** By the name of the member that was cut; of a file's diff `changes.<index>.diff`. */
  truncation?: { [field: string]: TextTruncation };
}

interface Stepwise extends ThreadItemBase {
  status: ThreadItemStatus;
}
type ApprovalStatus = "waiting_for_approval" | "denied" | null;
interface Approvable extends Stepwise {
  approvalStatus: ApprovalStatus;
}

/** What a user wrote, as the agent got it. */
export interface UserMessageItem extends ThreadItemBase {
  type: "userMessage";
  content: { type: "text" | "image" | "localImage" | "localFile"; text?: string; url?: string; path?: string }[];
  clientRequestId?: string;
}

/** What the agent said, in Markdown. */
export interface AgentMessageItem extends ThreadItemBase {
  type: "agentMessage";
  text: string;
}

/** What the agent thought. */
export interface ReasoningItem extends ThreadItemBase {
  type: "reasoning";
  summary: string[];
  content: string[];
}

/** A plan in the agent's own words, in Markdown. */
export interface PlanItem extends ThreadItemBase {
  type: "plan";
  text: string;
}

/** The agent has shortened what it remembers of the session. */
export interface ContextCompactionItem extends ThreadItemBase {
  type: "contextCompaction";
}

/** A command that the agent ran. */
export interface CommandExecutionItem extends Approvable {
  type: "commandExecution";
  command: string;
  /** Null when the agent does not say. */
  cwd: string | null;
  /** Standard output and standard error, as they came. */
  aggregatedOutput?: string | null;
  /** Null or absent when the agent does not say, and while the command runs. */
  exitCode?: number | null;
  /** Milliseconds, where the agent says. */
  durationMs?: number | null;
}

/** Files that the agent changed. */
export interface FileChangeItem extends Approvable {
  type: "fileChange";
  /** `diff`: a patch, where the agent says what has changed. */
  changes: { path: string; kind: "add" | "delete" | "update"; diff?: string | null; movePath?: string | null }[];
}

/** A call of a tool. */
export interface ToolCallItem extends Stepwise {
  type: "toolCall";
  approvalStatus?: ApprovalStatus;
  tool: string;
  /** The MCP server that has the tool. */
  server?: string | null;
  arguments?: JsonValue;
  result?: JsonValue;
  error?: JsonValue;
  /** Milliseconds, where the agent says. */
  durationMs?: number | null;
  statusLabels?: { pending: string; completed: string };
  presentation?: JsonValue;
}

/** A search of the web by the agent. */
export interface WebSearchItem extends ThreadItemBase {
  type: "webSearch";
  queries: string[];
  resultText: string | null;
  /** Only of one that went wrong. */
  status?: "failed" | "interrupted";
}

/** A page that the agent read. */
export interface WebFetchItem extends ThreadItemBase {
  type: "webFetch";
  url: string;
  prompt: string | null;
  pattern: string | null;
  resultText: string | null;
  /** Only of one that went wrong. */
  status?: "failed" | "interrupted";
}

/** An image that the agent looked at. */
export interface ImageViewItem extends ThreadItemBase {
  type: "imageView";
  path: string;
}

/** Work that goes on beside the turn: a command, an agent or a workflow. */
export interface BackgroundTaskItem extends Stepwise {
  type: "backgroundTask";
  description: string;
  taskType: string;
  taskStatus: "pending" | "running" | "paused" | "completed" | "failed" | "killed" | "stopped";
  skipTranscript: boolean;
  summary?: string | null;
  error?: string | null;
  usage?: { totalTokens: number; toolUses: number; durationMs: number } | null;
  workflowName?: string;
  workflow?: JsonValue;
}

/** Of a newer service. */
export interface UnknownThreadItem extends ThreadItemBase {
  type: UnknownType;
}

/** One of a kind each; `type` tells which. Ignore types you do not know. */
export type ThreadItem =
  | UserMessageItem
  | AgentMessageItem
  | ReasoningItem
  | PlanItem
  | ContextCompactionItem
  | CommandExecutionItem
  | FileChangeItem
  | ToolCallItem
  | WebSearchItem
  | WebFetchItem
  | ImageViewItem
  | BackgroundTaskItem
  | UnknownThreadItem;
