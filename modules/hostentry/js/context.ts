/** What handlers get beside their input. */
import type { ExperimentalHostEntry, ExperimentalHostRpcContext, ExperimentalHostWorkerLease } from "../../../sdk/src/host/definition.js";
import { kSignal, toWire, validate, type HostCallFailure } from "../../../sdk/src/host_policy/call.js";
import type { HostCall } from "../../jsruntime/js/runtime.js";
import type { Watches } from "./watches.js";

interface Ways {
  send(message: object): void;
  /** `payload` is JSON text. Resolves when the daemon can take more. */
  signal(name: string, payload: string | undefined): Promise<void>;
  watches: Watches;
}

export interface Contexts {
  /** The context of one call; `close` when the call has settled. */
  open(call: HostCall): { context: ExperimentalHostRpcContext<never>; close(): void };
  /** The worker ends: lifecycle first, then the calls. */
  abort(): void;
}

export function makeContexts(entry: ExperimentalHostEntry, paths: { dataDir: string; tempDir: string }, ways: Ways): Contexts {
  const lifecycle = new AbortController();
  /** Of running calls whose signal was asked for. */
  const running = new Set<AbortController>();
  const fixedPaths = Object.freeze({ ...paths });
  const fixedLifecycle = Object.freeze({ signal: lifecycle.signal });
  let lastLease = 0;

  const emit = async (name: string, payload: unknown): Promise<void> => {
    const signals = entry.experimental_signals;
    const declared = Object.hasOwn(signals, name) ? signals[name] : undefined;
    if (declared === undefined) {
      throw new TypeError(`experimental_emitSignal: experimental_signals has no "${String(name)}"`);
    }
    let wire: string | undefined;
    try {
      await validate(declared.payload, payload, "invalid_payload", `experimental_emitSignal: the payload of "${name}" does not fit`);
      wire = toWire(payload, `the payload of "${name}"`, kSignal);
    } catch (failure) {
      throw Object.assign(new TypeError((failure as Error).message), { code: (failure as HostCallFailure).code });
    }
    await ways.signal(name, wire);
  };

  const retain = (open: boolean): ExperimentalHostWorkerLease => {
    if (!open) {
      throw new Error("experimental_retainWorker: the call has ended; retain the worker while it runs");
    }
    const leaseId = String(++lastLease);
    let held = true;
    ways.send({ type: "lease-acquire", leaseId });
    return {
      async dispose() {
        if (held) {
          held = false;
          ways.send({ type: "lease-release", leaseId });
        }
      },
    };
  };

  const controllerOf = (call: HostCall): AbortController => {
    const own = new AbortController();
    if (lifecycle.signal.aborted) {
      own.abort(lifecycle.signal.reason);
      return own;
    }
    const stop = (): void => own.abort(call.signal.reason);
    if (call.signal.aborted) {
      stop();
    } else {
      call.signal.addEventListener("abort", stop, { once: true });
    }
    running.add(own);
    return own;
  };

  return {
    open(call) {
      let open = true;
      let controller: AbortController | undefined;
      const context: ExperimentalHostRpcContext<Record<string, never>> = {
        get signal() {
          return (controller ??= controllerOf(call)).signal;
        },
        lifecycle: fixedLifecycle,
        experimental_paths: fixedPaths,
        experimental_emitSignal: emit as never,
        experimental_retainWorker: () => retain(open),
        experimental_watch: (options, on) => ways.watches.start(options, on),
      };
      return {
        context: context as unknown as ExperimentalHostRpcContext<never>,
        close() {
          open = false;
          if (controller !== undefined) {
            running.delete(controller);
          }
        },
      };
    },
    abort() {
      lifecycle.abort();
      for (const controller of [...running]) {
        controller.abort(lifecycle.signal.reason);
      }
    },
  };
}
