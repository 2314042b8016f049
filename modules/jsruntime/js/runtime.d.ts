/**
 * What the script runtime gives host parts (`export default function (runtime: HostRuntime, api: …): void`).
 * Parts are trusted code of the service; plugin code never sees this object.
 */
export interface HostRuntime {
  /** Calls a synchronous host function with JSON text. Throws an Error whose `code` is the host's error code. */
  callSync(name: string, argument?: string): string | undefined;
  /** Calls an asynchronous host function. Rejects like callSync throws. */
  call(name: string, argument?: string): Promise<string | undefined>;
  /**
   * Calls a host function that takes and gives bytes. They are copied at the call, so the array may be reused; no bytes
   * arrive as undefined. Calls of one script reach the host in their order. Rejects like callSync throws.
   */
  transfer(name: string, argument?: string, bytes?: Uint8Array): Promise<Uint8Array | undefined>;
  /**
   * JSON text of pieces: text as it is and a string to be quoted take turns. Undefined when something in it is not ASCII. Much sooner than
   * JSON.stringify() for long strings.
   */
  quoteJson(pieces: readonly string[]): string | undefined;
  /** What a native extension of the host put into its object. Throws when there is none of that name. */
  native<T extends object>(name: string): T;
  /**
   * Makes `name` callable by the host. Meta and body arrive as sent. Return text, undefined, or a promise of them;
   * answer synchronously where possible, it is the fast path.
   */
  handle(name: string, handler: HostHandler): void;
  /** As handle(), for calls of the host whose body is bytes. */
  handle(name: string, handler: HostBytesHandler): void;
  /** Loads the author's entry (TypeScript or JavaScript) and resolves with its namespace. */
  loadModule(path: string): Promise<Record<string, unknown>>;
  /**
   * An error that reaches the host with this code. Every other thrown value reaches it as `handler_error`. `cause` is what
   * the author's code threw: its stack goes to the owner of the environment, not to the caller.
   */
  error(code: string, message: string, extra?: { details?: unknown; issues?: unknown[]; cause?: unknown }): Error;
  /** Reports a failure as if it had escaped from a callback. */
  reportUncaught(error: unknown, origin: "timer" | "rejection"): void;
  /**
   * Runs `fn`. What escapes from a callback that `fn`, or anything it starts, has set up goes to `owner` first. It costs
   * the environment the tracking of its promises, from the first call on.
   */
  attribute<T>(owner: FailureOwner, fn: () => T): T;
  /** While paused, an event loop that stands still is not reported and not ended: a debugger or a heap snapshot holds it. */
  pauseWatchdog(paused: boolean): void;
  /** Runs `act`, which may open Node's inspector and connect sessions of it: scripts may not. */
  withInspector<T>(act: () => T): T;
  /** The stack of an error mapped to the author's sources, message line included. */
  formatStack(error: unknown): string;
}

export type HostHandler = (meta: string, body: string, call: HostCall) => string | undefined | PromiseLike<string | undefined>;

/** True when it has dealt with the failure; else the failure is reported as one of the environment. Must not throw. */
export type FailureOwner = (error: unknown, origin: "timer" | "rejection") => boolean;

export type HostBytesHandler = (meta: string, body: Uint8Array, call: HostCall) => string | undefined | PromiseLike<string | undefined>;

/** One call from the host. */
export interface HostCall {
  /** Aborts when the caller gives up. Created on first use: do not touch it on a fast path. */
  readonly signal: AbortSignal;
}
