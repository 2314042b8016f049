import type { HostWatchEvent, HostWatchOptions } from "../host/definition.js";
import type { HostSignals } from "../hosts.js";
import type { PluginRpcContract, PluginRpcInput, PluginRpcOutput } from "../rpc.js";
import type { StandardSchemaV1 } from "../standard_schema.js";

export interface HostEntryHarnessOptions {
  /** Default: directories of their own, which `experimental_dispose` removes. */
  experimental_paths?: { dataDir: string; tempDir: string };
  /** What `experimental_watch` of the context does. Without it, it rejects. */
  experimental_watch?: (
    options: HostWatchOptions,
    on: (event: HostWatchEvent) => void,
  ) => Promise<{ dispose(): void }> | { dispose(): void };
}

/** A signal as the server entry receives it. */
export type EmittedSignal<Signals extends HostSignals = HostSignals> = {
  [Name in keyof Signals & string]: { name: Name; payload: StandardSchemaV1.InferOutput<Signals[Name]["payload"]> };
}[keyof Signals & string];

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
  /** Aborts the signals of the lifecycle and of every call, then runs the entry's `dispose`. Once. */
  experimental_dispose(): Promise<void>;
}
