/** Who answers for what escapes from a callback: the owner of the code that set the callback up. */
import type { AsyncLocalStorage } from "node:async_hooks";
import type { BuiltinRequire } from "../binding.js";
import type { FailureOwner } from "../runtime.js";

export interface Attribution {
  run<T>(owner: FailureOwner, fn: () => T): T;
  /** Of the running callback. */
  owner(): FailureOwner | undefined;
}

export function makeAttribution(builtin: BuiltinRequire): Attribution {
  // Made on first use: from then on every promise of the environment is tracked, which only those pay who need it.
  let owners: AsyncLocalStorage<FailureOwner> | undefined;
  const owner = (): FailureOwner | undefined => owners?.getStore();
  return {
    run(by, fn) {
      if (owners === undefined) {
        owners = new (builtin<typeof import("node:async_hooks")>("async_hooks").AsyncLocalStorage)();
        keepContextOfMicrotasks(owner);
      }
      return owners.run(by, fn);
    },
    owner,
  };
}

/** Node reports what a microtask throws after it has left the microtask's context. */
function keepContextOfMicrotasks(owner: () => FailureOwner | undefined): void {
  const original = globalThis.queueMicrotask;
  globalThis.queueMicrotask = function queueMicrotask(callback) {
    if (typeof callback !== "function") {
      return original(callback); // throws what Node throws
    }
    original(() => {
      try {
        callback();
      } catch (error) {
        if (owner()?.(error, "timer") !== true) {
          throw error;
        }
      }
    });
  };
}
