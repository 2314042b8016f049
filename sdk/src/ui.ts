import type { JsonInput, JsonValue, MaybePromise } from "./json.js";

/** A form for the user, as `svc.ui.requestInput` takes it. */
export interface InputRequest {
  /** That of the tool's context. Null outside of a thread, where the form belongs to the call whose `signal` is passed. */
  threadId: string | null;
  /** Id of a `pendingInteraction` slot of the app entry. */
  rendererId: string;
  /** 1 to 160 characters. */
  title: string;
  /** For the renderer; at most 64 KiB as JSON, like the answer. */
  payload: JsonInput;
  /** Default 10 min, at most 60 min. */
  timeoutMs?: number;
  presentation?: { [key: string]: JsonInput };
  /** What the timeline keeps of an answer; the answer itself is not stored. Within 2 s. */
  describeSubmission?(value: JsonValue): MaybePromise<{ title?: string; detail?: string; payload?: JsonInput }>;
}

/** How a form ended: with the value that its renderer submitted, or without one, for the reason given. */
export type InputOutcome =
  | { outcome: "submitted"; value: JsonValue }
  | {
      outcome: "cancelled";
      reason: "user" | "request-aborted" | "thread-stopped" | "thread-deleted" | "plugin-disposed" | "server-restarted" | "timeout";
    };

/** The character after which the composer offers mentions. */
export type MentionTrigger = "@" | "#" | "$" | "!" | "~";

/** Something that can be mentioned, as `search` of a mention provider returns it. */
export interface PluginMentionItem {
  id: string;
  title: string;
  subtitle?: string;
  /** As `PluginIconName`. */
  icon?: string;
}

/** What the user has typed after a trigger, as `search` of a mention provider gets it. */
export interface MentionQuery {
  readonly trigger: MentionTrigger;
  /** Not empty. */
  readonly query: string;
  readonly projectId: string | null;
  readonly threadId: string | null;
}

/** What a message says where an item is mentioned. */
export interface ResolvedMention {
  /** What the agent reads. */
  context: string;
  /** At most 50. */
  experimental_images?: ({ type: "image"; url: string; context?: string } | { type: "localImage"; path: string; context?: string })[];
}

/** A source of mentions, as `svc.ui.registerMentionProvider` takes it. */
export interface MentionProvider {
  /** Letters, digits, `-` and `_`. */
  id: string;
  label: string;
  /** Default `["@"]`. */
  triggers?: MentionTrigger[];
  /** Items to offer; the first 50 are used. Within 2 s; a failure shows none. */
  search(query: MentionQuery): MaybePromise<PluginMentionItem[]>;
  /** Called once per item when a message is sent. Within 10 s; a failure blocks the message. */
  resolve(itemId: string): MaybePromise<ResolvedMention>;
}

/** `svc.ui`: what the plugin asks of the user and offers in the composer. */
export interface PluginUi {
  /**
   * Shows a form in a thread and waits for its answer. Rejects only for bad arguments or an unknown thread; everything
   * else is an outcome.
   */
  requestInput(request: InputRequest, options?: { signal?: AbortSignal }): Promise<InputOutcome>;
  /**
   * Offers items for the composer's triggers.
   *
   * @throws TypeError on an invalid provider, and when its id is registered already.
   */
  registerMentionProvider(provider: MentionProvider): void;
  /**
   * Of SDK 0.4.0: accepted, listed in `unsupported[]` of the plugin's record, and not used.
   *
   * @deprecated Use the slot `experimental_threadHeaderAction` of the app entry.
   */
  registerThreadAction(action: { id: string; title: string; icon?: string; confirm?: unknown; run(...args: any[]): unknown }): void;
}
