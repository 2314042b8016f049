/** Invocations: from src/bridge.cpp to the handlers of the parts and back. The hot path. */
import type { Binding } from "../binding.js";
import type { HostCall, HostHandler } from "../runtime.js";
import type { Errors } from "./errors.js";

type Answer = string | undefined | PromiseLike<string | undefined>;

export function makeCalls(binding: Binding, errors: Errors): object {
  /** Of running calls whose signal has been asked for. */
  const controllers = new Map<number, AbortController>();

  class Call implements HostCall {
    readonly id: number;
    made: AbortSignal | undefined = undefined;
    constructor(id: number) {
      this.id = id;
    }
    get signal(): AbortSignal {
      return (this.made ??= makeSignal(this.id));
    }
  }

  function makeSignal(id: number): AbortSignal {
    const controller = new AbortController();
    const state = binding.watchSignal(id);
    if (state === 0) {
      controllers.set(id, controller);
    } else if (state === 1) {
      controller.abort();
    }
    return controller.signal;
  }

  function fail(id: number, error: unknown): void {
    const own = errors.own(error);
    if (own) {
      const behind = own.cause === undefined ? undefined : errors.describe(own.cause);
      binding.failed(id, true, behind?.name ?? "", own.message, behind?.stack ?? "", own.code, own.details, own.issues);
      return;
    }
    const report = errors.describe(error);
    binding.failed(id, false, report.name, report.message, report.stack, report.code, report.details);
  }

  return {
    /** Runs a handler. A promise that comes back is looked at by C++ once microtasks have run. */
    dispatch(handler: HostHandler, meta: string, body: string, id: number): unknown {
      try {
        return handler(meta, body, new Call(id));
      } catch (error) {
        fail(id, error);
        return undefined;
      }
    },
    /** For a promise that did not settle at once. */
    watch(promise: Promise<unknown>, id: number): void {
      promise.then(
        (value) => binding.resolved(id, value),
        (error) => fail(id, error),
      );
    },
    /** For an answer that is neither text nor undefined nor a promise. */
    coerce(value: Answer, id: number): void {
      if (typeof (value as PromiseLike<unknown> | null)?.then === "function") {
        Promise.resolve(value).then(
          (result) => binding.resolved(id, result),
          (error) => fail(id, error),
        );
      } else {
        fail(id, new TypeError(`the handler answered with ${value === null ? "null" : typeof value} instead of text`));
      }
    },
    fail,
    abort(id: number): void {
      const controller = controllers.get(id);
      controllers.delete(id);
      try {
        controller?.abort();
      } catch (error) {
        errors.reportUncaught(error, "timer");
      }
    },
    release(id: number): void {
      controllers.delete(id);
    },
  };
}
