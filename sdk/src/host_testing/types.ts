import type { HostWatchOptions } from "../host/definition.js";
import type { UnnamedWatchEvent } from "../host_policy/watch.js";
import type { HostSignals } from "../hosts.js";
import type { PluginRpcContract, PluginRpcInput, PluginRpcOutput } from "../rpc.js";
import type { StandardSchemaV1 } from "../standard_schema.js";

/** What the worker of the product would supply to the entry under test. */
export interface HostEntryHarnessOptions {
  /** Default: directories of their own, which `experimental_dispose` removes. */
  experimental_paths?: { dataDir: string; tempDir: string };
  /**
   * What `experimental_watch` of the context does, after its options were checked and their defaults filled in; its `dispose`
   * is called once. Without it, `experimental_watch` rejects.
   */
  experimental_watch?: (
    options: Required<HostWatchOptions>,
    /**
     * Tells the entry; after the end of the watch it does nothing. `kind` or `type` is enough, the entry gets both. More than a batch
     * holds becomes `rescan-required`. Resolves when the listener has settled, and rejects with what it throws.
     */
    on: (event: UnnamedWatchEvent) => Promise<void>,
  ) => Promise<{ dispose(): void | Promise<void> }> | { dispose(): void | Promise<void> };
}

/** A signal as the server entry receives it. */
export type EmittedSignal<Signals extends HostSignals = HostSignals> = {
  [Name in keyof Signals & string]: { name: Name; payload: StandardSchemaV1.InferOutput<Signals[Name]["payload"]> };
}[keyof Signals & string];

/** A host entry that runs in the test's own process: it is called as a server entry calls it, and what it sends and holds can be read. */
export interface HostEntryHarness<Contract extends PluginRpcContract, Signals extends HostSignals> {
  /**
   * Calls a handler as the server entry would. Rejects with an error named `HostCallError` (`code`: `unknown_method`,
   * `invalid_input`, `handler_error`, `invalid_output`, `non_json_result`, `too_large`, `worker_exited`,
   * `generation_retired`; `details?`), and with `AbortError` at once when `signal` aborts.
   */
  experimental_call<Method extends keyof Contract & string>(
    method: Method,
    input: PluginRpcInput<Contract[Method]>,
    options?: { signal?: AbortSignal },
  ): Promise<PluginRpcOutput<Contract[Method]>>;
  /** Signals so far, in order. */
  experimental_getSignals(): EmittedSignal<Signals>[];
  /** Leases of `experimental_retainWorker` that are held. */
  experimental_getRetainedWorkerLeaseCount(): number;
  /** Aborts at `experimental_dispose`. */
  readonly experimental_lifecycleSignal: AbortSignal;
  /**
   * Stops the worker: aborts the signals of the lifecycle and of every call (`worker_exited`), ends leases and watches, then runs
   * the entry's `dispose` and rejects with what it throws. Once; later calls return the same promise.
   */
  experimental_dispose(): Promise<void>;
}
