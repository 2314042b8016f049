import type { AgentContext, AgentToolPart } from "../agents.js";
import type { PluginCliContext, PluginCliExecutionResult } from "../cli.js";
import type { DispatchContext, DispatchDecision, PluginEventMap } from "../events.js";
import type { JsonInput, JsonValue } from "../json.js";
import type { PluginRpcCaller } from "../rpc.js";
import type { InputOutcome, MentionTrigger, ResolvedMention } from "../ui.js";
import type { RegisteredAgentTool } from "./inspection.js";

/** `T` with every member optional, at every depth: a test gives what matters, the host fills in the rest. */
export type DeepPartial<T> = T extends object ? { [Key in keyof T]?: DeepPartial<T[Key]> } : T;

/** The request that a test makes to a route: members of `fetch`, without those that the host ignores. */
export interface FakeHttpInit {
  headers?: Record<string, string> | Headers | [string, string][];
  body?: string | ArrayBuffer | ArrayBufferView | Blob | FormData | URLSearchParams | ReadableStream<Uint8Array> | null;
  /** Abort: the client leaves. */
  signal?: AbortSignal;
}

/** The client's end of a WebSocket of the plugin. */
export interface FakeWebSocket {
  /** What the plugin has sent and `next()` has not taken. */
  readonly messages: (string | Uint8Array)[];
  /** Resolves when the socket has closed, whoever closed it. */
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves when `onMessage` has run. */
  send(data: string | Uint8Array): Promise<void>;
  /** The next message of the plugin; rejects when the socket closes first. */
  next(): Promise<string | Uint8Array>;
  /** Resolves when `onClose` has run. */
  close(code?: number, reason?: string): Promise<void>;
}

/** One run of a background service, started by `runService`. */
export interface FakeServiceRun {
  /** Aborts the signal and resolves when `start` has settled. */
  stop(): Promise<void>;
  /** Resolves when `start` resolves, rejects with its failure. */
  readonly done: Promise<void>;
}

/** What the agent gets of a tool call: a text result is one text part. */
export interface FakeToolResult {
  content: AgentToolPart[];
  /** Every failure: invalid arguments, a throw, a result that is none. The text says which. */
  isError: boolean;
}

/** What a tool has said with `experimental_progress`. */
export interface FakeToolProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** What of the plugin a thread gets. */
export interface FakeAgentConfiguration {
  /** With the parameters as `configure` narrowed them. */
  tools: RegisteredAgentTool[];
  skills: string[];
  /** Of `configure`. */
  instructions: string | null;
  /** Of `contributeInstructions`. */
  contributedInstructions: string | null;
}

/** What the composer shows of one mention provider. `items` is empty when nothing was found, or the search failed. */
export interface FakeMentionGroup {
  providerId: string;
  label: string;
  /** At most 50. */
  items: { itemId: string; title: string; subtitle: string | null; icon: string | null }[];
}

/** What a test makes happen. After `dispose()` all of it rejects with the code `plugin_not_running`. */
export interface FakeBehavior {
  /**
   * Calls an RPC method the way a client does: through JSON, the input schema, the handler and the output schema. Leave `input`
   * out for a call without a body.
   *
   * @throws what the handler threw, or an Error with `code` and `issues`: `rpc input validation failed…` (`invalid_input`),
   *   `rpc output validation failed…` (`invalid_output`), `non_json_result`, `unknown_method`.
   */
  callRpc<Output = any>(method: string, input?: unknown, options?: { caller?: PluginRpcCaller; signal?: AbortSignal }): Promise<Output>;
  /**
   * Requests a route; `path` is the one it was registered with, and may have a query. Failures are responses, as on the wire:
   * 404 `unknown_route`, 500 `handler_error`. Who may call is not checked.
   */
  fetchHttp(method: string, path: string, init?: FakeHttpInit): Promise<Response>;
  /**
   * Opens a WebSocket route; resolves when `onOpen` has run. When the plugin's function throws, the socket closes with 1011 and the
   * log says why.
   */
  experimental_openWebSocket(path: string, init?: { headers?: FakeHttpInit["headers"] }): Promise<FakeWebSocket>;
  /** @throws Error with `code` `unknown_command`, `handler_error` or `plugin_cli_output_too_large`. */
  runCli(argv: readonly string[], context?: Partial<PluginCliContext>): Promise<PluginCliExecutionResult>;
  /** Starts a service once; a failure does not start it again. */
  runService(name: string): FakeServiceRun;
  /**
   * One run of a schedule; rejects when it throws, and with `code` `conflict` while another one runs. `scheduledAt` is now unless given.
   * The end of the load aborts its signal.
   */
  runSchedule(name: string, run?: { scheduledAt?: number; missed?: boolean; signal?: AbortSignal }): Promise<void>;
  /**
   * Saves settings as a user does: all of them or, with an error that has `issues`, none. `null` unsets. Listeners hear of it, and
   * a plugin that waits for configuration is loaded again (when `reload` loaded it). Resolves with what clients see.
   */
  setSettings(values: { readonly [key: string]: JsonInput }): Promise<{ schema: JsonValue; values: JsonValue }>;
  /**
   * Delivers an event to every handler and waits for all of them. The server logs a handler's failure; here it also rejects, with
   * an AggregateError when there are several.
   */
  emitThreadEvent<Name extends keyof PluginEventMap>(name: Name, payload: PluginEventMap[Name]): Promise<void>;
  /**
   * Calls a tool the way agents do; never rejects. `tools` are those of `resolveAgentConfiguration`: the agent of that thread has no
   * others, and their parameters count. `onProgress` hears what the tool reports meanwhile.
   */
  callAgentTool(
    name: string,
    params?: unknown,
    context?: {
      threadId?: string | null;
      projectId?: string | null;
      signal?: AbortSignal;
      tools?: readonly RegisteredAgentTool[];
      onProgress?(report: FakeToolProgress): void;
    },
  ): Promise<FakeToolResult>;
  /** What a thread gets; what is missing in the context is filled in. As on the server, a failing `configure` offers nothing. */
  resolveAgentConfiguration(context?: DeepPartial<AgentContext>): Promise<FakeAgentConfiguration>;
  /** Asks the providers of the trigger (default `@`). A failure is an empty group; an empty query asks nobody. */
  searchMentions(
    query: string,
    options?: { trigger?: MentionTrigger; providerId?: string; projectId?: string; threadId?: string },
  ): Promise<FakeMentionGroup[]>;
  /** @throws Error when the provider fails or there is none. */
  resolveMention(providerId: string, itemId: string): Promise<{ context: string; images: ResolvedMention["experimental_images"] }>;
  /**
   * Answers an open form (see `pendingInteractions`). Resolves with what `describeSubmission` makes of it, else null.
   *
   * @throws Error for an unknown id, or an answer that is not JSON or larger than 64 KiB.
   */
  submitInteraction(id: string, value: JsonInput): Promise<{ title?: string; detail?: string; payload?: JsonValue } | null>;
  /** Ends an open form; the default reason is `user`. */
  cancelInteraction(id: string, reason?: Extract<InputOutcome, { outcome: "cancelled" }>["reason"]): void;
  /**
   * Asks the hook. A handler that throws, or answers with something else, rejects the message. What `context` does not say is that of the
   * first message of a thread which a user writes in the window; `environment` and `host` are null unless something is said of them.
   */
  experimental_runHook(hook: "message.dispatch", context: DeepPartial<DispatchContext>): Promise<DispatchDecision>;
  /** A signal of the host entry; listeners get it when its payload fits. Rejects with what the first that fails throws; others are in `logEntries`. */
  emitHostSignal(signal: { hostId: string; name: string; payload: unknown }): Promise<void>;
  /** Tells the listeners of `experimental_onWorkerExit` that the worker of a machine has ended. Rejects as `emitHostSignal`. */
  emitHostWorkerExit(exit: { hostId: string }): Promise<void>;
}
