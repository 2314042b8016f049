import type { JsonValue, MaybePromise } from "./json.js";
import type { Environment, EnvironmentIntent, Host, InputBlock, Interaction, Project, QueuedMessage, Terminal, Thread } from "./records.js";

/** Payloads by event. */
export interface PluginEventMap {
  "thread.created": { thread: Thread };
  "thread.active": { thread: Thread };
  "thread.archived": { thread: Thread };
  "thread.unarchived": { thread: Thread };
  "thread.deleted": { thread: Thread };
  "thread.idle": { thread: Thread; lastAssistantText: string | null };
  "thread.failed": { thread: Thread; error: string | null };
  "turn.failed": {
    threadId: string;
    requestId: string;
    turnId: string | null;
    errorInfo: JsonValue;
    inputAccepted: boolean;
    rateLimits: JsonValue;
    attemptNumber: number;
  };
  "interaction.pending": { thread: Thread; interaction: Interaction };
  "message.queued": { entry: QueuedMessage };
  "message.dispatched": { entry: QueuedMessage };
  "message.cancelled": { entry: QueuedMessage };
  "experimental_host.deleted": { host: Host };
  /** At most one per thread and second. */
  "experimental_thread.events": { thread: Thread; sequence: number };
  "experimental_thread.parentChanged": { thread: Thread; previousParentThreadId: string | null };
  /** Accepted, never sent. */
  "experimental_terminal.input": { terminal: Terminal };
}

/** Hears of an event. A promise that it returns is not waited for; a failure is counted and logged. */
export type PluginThreadEventHandler<Name extends keyof PluginEventMap = keyof PluginEventMap> = (
  payload: PluginEventMap[Name],
) => MaybePromise<unknown>;

/** `svc.events`: what happened to threads, messages and machines. */
export interface PluginEvents {
  /**
   * Listens to an event: after the fact, not awaited, not replayed, in order per thread. A handler that fails is counted and
   * logged. Returns what removes the listener.
   *
   * @throws TypeError for an unknown event.
   */
  on<Name extends keyof PluginEventMap>(name: Name, handler: PluginThreadEventHandler<Name>): () => void;
}

/** What a hook says of a message: send it, let it wait until the hook is asked again, or refuse it with a text for the sender. */
export type DispatchDecision =
  | { kind: "proceed" }
  /** Parks the message; the reason has up to 200 characters. */
  | { kind: "wait"; reason: string; sendAt?: number }
  | { kind: "reject"; message: string };

/** A message that is about to be dispatched, as the hook `message.dispatch` gets it. */
export interface DispatchContext {
  readonly thread: Thread;
  /** `join-turn`: into the turn that runs. */
  readonly attempt: "start-turn" | "join-turn";
  readonly project: Project;
  /** Null while the thread has none: see `environmentIntent`. */
  readonly environment: Environment | null;
  /** Where the thread is to work, as long as it has no environment. */
  readonly environmentIntent: EnvironmentIntent | null;
  /** The machine of the environment; null while the thread has none. */
  readonly host: Host | null;
  readonly input: { readonly blocks: readonly InputBlock[]; readonly text: string };
  /** Model, level and mode that the sender asked for. */
  readonly requestedExecution: { readonly [key: string]: JsonValue };
  readonly executionSources: { readonly [key: string]: JsonValue };
  readonly origin: "app" | "cli" | "sdk" | "plugin";
  /** The plugin that sent it, for the origin `plugin`; else null. */
  readonly originPluginId: string | null;
  readonly parentThreadId: string | null;
  /** `mixed`: queued messages of several were joined. */
  readonly initiator: "user" | "agent" | "system" | "mixed";
  /** The thread whose agent sent it; null for others. */
  readonly senderThreadId: string | null;
  /** The messages that wait in the thread's queue. */
  readonly queuedMessages: readonly QueuedMessage[];
}

/** `svc.experimental_hooks`: decisions that the service asks the plugin for. */
export interface PluginHooks {
  /**
   * Decides over every message before it is dispatched. One handler per plugin, within 10 s. The first reject wins, then the
   * first wait; a throw or a timeout rejects and names the plugin.
   */
  on(hook: "message.dispatch", handler: (context: DispatchContext) => MaybePromise<DispatchDecision>): void;
  /** Looks again at the messages that wait on this plugin. */
  recheck(hook: "message.dispatch"): void;
}
