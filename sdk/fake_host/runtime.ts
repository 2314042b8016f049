import type { FailureOwner, HostBytesHandler, HostCall, HostHandler, HostRuntime } from "../../modules/jsruntime/js/runtime";
import { describeThrown } from "../../modules/plugins/js/policy/thrown";
import { makeNative } from "./sqlite/connection";
import { withoutHostFrames } from "./stacks";

// A test may replace timers and other globals; what the host needs is taken before.
const { AbortController } = globalThis;

type Extra = { details?: unknown; issues?: unknown[]; cause?: unknown };

/** The other side of the parts: functions by name, with the names and texts of the server. */
export interface HostFunctions {
  sync: Record<string, (argument: string) => string | void>;
  async: Record<string, (argument: string) => Promise<string | void>>;
  transfer: Record<string, (argument: string, bytes: Uint8Array | undefined) => Promise<Uint8Array | void>>;
}

export function noFunctions(): HostFunctions {
  return { sync: {}, async: {}, transfer: {} };
}

/** An error with a code, as the host gives them to parts and callers. */
export function failure(code: string, message: string, extra: Extra = {}): Error {
  return Object.assign(new Error(message), { code }, extra);
}

/** What the script runtime is on the server, for one load. */
export class FakeRuntime implements HostRuntime {
  /** True when the plugin has used the host. */
  used = false;
  readonly #handlers = new Map<string, HostHandler | HostBytesHandler>();
  /** Errors of error(): they reach callers with their code, all others as `handler_error`. */
  readonly #owned = new WeakSet<object>();

  constructor(readonly functions: HostFunctions) {}

  callSync(name: string, argument = ""): string | undefined {
    return this.#find(this.functions.sync, name)(argument) ?? undefined;
  }
  async call(name: string, argument = ""): Promise<string | undefined> {
    return (await this.#find(this.functions.async, name)(argument)) ?? undefined;
  }
  async transfer(name: string, argument = "", bytes?: Uint8Array): Promise<Uint8Array | undefined> {
    return (await this.#find(this.functions.transfer, name)(argument, bytes?.slice())) ?? undefined;
  }
  /** Without the host every text takes JSON.stringify(), which says the same. */
  quoteJson(): undefined {
    return undefined;
  }
  native<T extends object>(name: string): T {
    if (name !== "database") {
      throw new TypeError(`there is no native extension "${name}"`);
    }
    return makeNative() as T;
  }
  handle(name: string, handler: HostHandler | HostBytesHandler): void {
    this.#handlers.set(name, handler);
  }
  /** Replaced for a load; parts ask for the module of the plugin. */
  loadModule = async (): Promise<Record<string, unknown>> => ({});
  error(code: string, message: string, extra: Extra = {}): Error {
    const error = failure(code, message, extra);
    this.#owned.add(error);
    return error;
  }
  reportUncaught(error: unknown): void {
    queueMicrotask(() => {
      throw error;
    });
  }
  /** Nothing is attributed: what escapes from a callback is an uncaught exception of the test. */
  attribute<T>(_owner: FailureOwner, fn: () => T): T {
    return fn();
  }
  withInspector<T>(act: () => T): T {
    return act();
  }
  pauseWatchdog(): void {}
  formatStack(error: unknown): string {
    return error instanceof Error ? withoutHostFrames(error.stack ?? String(error)) : String(error);
  }

  /** Runs a handler of a part as the server does. Rejects with an error that has a `code`. */
  async invoke(name: string, meta: string, body: string | Uint8Array, signal?: AbortSignal): Promise<string> {
    const handler = this.#handlers.get(name);
    if (handler === undefined) {
      throw new TypeError(`no part answers "${name}"`);
    }
    let own = signal;
    const call: HostCall = {
      get signal() {
        return (own ??= new AbortController().signal);
      },
    };
    try {
      return ((await (handler as (meta: string, body: unknown, call: HostCall) => unknown)(meta, body, call)) as string) ?? "";
    } catch (thrown) {
      if (typeof thrown === "object" && thrown !== null && this.#owned.has(thrown)) {
        throw thrown;
      }
      const { message, code, retryable } = describeThrown(thrown);
      const details: Record<string, unknown> = {};
      if (typeof code === "string") {
        details.code = code;
      }
      if (typeof retryable === "boolean") {
        details.retryable = retryable;
      }
      throw failure("handler_error", message, { cause: thrown, ...(Object.keys(details).length > 0 && { details }) });
    }
  }

  #find<F>(functions: Record<string, F>, name: string): F {
    const found = functions[name];
    if (found === undefined) {
      throw new TypeError(`there is no host function "${name}"`);
    }
    if (!name.endsWith(".config")) {
      this.used = true;
    }
    return found;
  }
}
