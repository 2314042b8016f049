/// <reference types="node" />
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type {
  ExperimentalHostEntry,
  ExperimentalHostRpcContext,
  ExperimentalHostWatchListener,
  ExperimentalHostWatchSubscription,
  ExperimentalHostWorkerLease,
  HostWatchOptions,
} from "../host/definition.js";
import {
  answerHostCall,
  callFailure,
  failureOf,
  fromWire,
  kInput,
  kSignal,
  methodOf,
  toWire,
  validate,
  validateInput,
  validateOutput,
  type HostCallFailure,
} from "../host_policy/call.js";
import { checkWatchCount, checkWatchListener, checkWatchOptions, watchEvent, withinBatch } from "../host_policy/watch.js";
import type { HostSignals } from "../hosts.js";
import type { PluginRpcContract } from "../rpc.js";
import type { EmittedSignal, HostEntryHarness, HostEntryHarnessOptions } from "./types.js";

const kHostId = "test-host";

/**
 * Runs a host entry without a worker process: the contract is checked on both sides, and results and signals have the limit of
 * the product (8 MiB as JSON). Not reproduced: time limits, the idle stop, the process with its clean environment.
 *
 * @throws TypeError when `entry` was not made by `experimental_defineHostEntry`.
 */
export function experimental_createHostEntryHarness<Contract extends PluginRpcContract, Signals extends HostSignals>(
  entry: ExperimentalHostEntry<Contract, Signals>,
  options: HostEntryHarnessOptions = {},
): HostEntryHarness<Contract, Signals> {
  if (entry?.experimental_apiVersion !== 1) {
    throw new TypeError("the host entry must be the result of experimental_defineHostEntry");
  }
  return new Harness(entry as unknown as ExperimentalHostEntry, options) as unknown as HostEntryHarness<Contract, Signals>;
}

class Harness {
  readonly #entry: ExperimentalHostEntry;
  readonly #options: HostEntryHarnessOptions;
  readonly #lifecycle = new AbortController();
  readonly #calls = new Set<AbortController>();
  readonly #leases = new Set<object>();
  readonly #watches = new Set<ExperimentalHostWatchSubscription>();
  readonly #signals: EmittedSignal[] = [];
  #ownDirectory: string | undefined;
  #paths: { dataDir: string; tempDir: string } | undefined;
  #disposal: Promise<void> | undefined;

  constructor(entry: ExperimentalHostEntry, options: HostEntryHarnessOptions) {
    this.#entry = entry;
    this.#options = options;
    this.#paths = options.experimental_paths;
  }

  get experimental_lifecycleSignal(): AbortSignal {
    return this.#lifecycle.signal;
  }

  readonly experimental_call = async (name: string, input?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> => {
    const call = new AbortController();
    const onAbort = () => call.abort(Object.assign(new Error(`the call of "${name}" was aborted`), { name: "AbortError" }));
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#calls.add(call);
    try {
      if (signal?.aborted === true) {
        onAbort();
      }
      return await this.#run(name, input, call);
    } catch (failure) {
      throw failure === call.signal.reason && (failure as Error).name === "AbortError" ? failure : hostCallError(failureOf(failure));
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#calls.delete(call);
    }
  };

  async #run(name: string, input: unknown, call: AbortController): Promise<unknown> {
    if (this.#disposal !== undefined) {
      throw callFailure("generation_retired", "the host entry is disposed");
    }
    call.signal.throwIfAborted();
    const method = methodOf(this.#entry, name);
    const wire = toWire(input, "$input", kInput);
    await validateInput(method, name, fromWire(wire));
    // The caller's answer does not wait for a handler that ignores its signal.
    const aborted = new Promise<never>((_resolve, reject) => {
      const refuse = () => reject(call.signal.reason);
      call.signal.aborted ? refuse() : call.signal.addEventListener("abort", refuse, { once: true });
    });
    const lease = { open: true };
    try {
      const result = await Promise.race([answerHostCall(this.#entry, name, wire, this.#context(call.signal, lease)), aborted]);
      return await validateOutput(method, name, fromWire(result));
    } finally {
      lease.open = false;
    }
  }

  #context(signal: AbortSignal, call: { open: boolean }): ExperimentalHostRpcContext<never> {
    const directories = () => this.#directories();
    const context: ExperimentalHostRpcContext<HostSignals> = {
      signal,
      lifecycle: { signal: this.#lifecycle.signal },
      get experimental_paths() {
        return directories();
      },
      experimental_emitSignal: (name, payload) => this.#emit(name, payload),
      experimental_retainWorker: () => this.#retain(call),
      experimental_watch: (options, on) => this.#watch(options, on),
    };
    return context as unknown as ExperimentalHostRpcContext<never>;
  }

  #directories(): { dataDir: string; tempDir: string } {
    if (this.#paths === undefined) {
      this.#ownDirectory = mkdtempSync(join(tmpdir(), "svc-host-entry-"));
      this.#paths = { dataDir: join(this.#ownDirectory, "data"), tempDir: join(this.#ownDirectory, "tmp") };
      mkdirSync(this.#paths.dataDir);
      mkdirSync(this.#paths.tempDir);
    }
    return this.#paths;
  }

  async #emit(name: string, payload: unknown): Promise<void> {
    const signals = this.#entry.experimental_signals;
    const declared = Object.hasOwn(signals, name) ? signals[name] : undefined;
    if (declared === undefined) {
      throw new TypeError(`experimental_emitSignal: experimental_signals has no "${name}"`);
    }
    const what = `experimental_emitSignal: the payload of "${name}" does not fit`;
    let wire: string | undefined;
    try {
      await validate(declared.payload, payload, "invalid_payload", what);
      wire = toWire(payload, `the payload of "${name}"`, kSignal);
    } catch (failure) {
      throw Object.assign(new TypeError((failure as Error).message), { code: (failure as HostCallFailure).code });
    }
    if (this.#disposal === undefined) {
      const received = await validate(declared.payload, fromWire(wire), "invalid_payload", what);
      this.#signals.push({ name, payload: received } as EmittedSignal);
    }
  }

  #retain(call: { open: boolean }): ExperimentalHostWorkerLease {
    if (!call.open) {
      throw new Error("experimental_retainWorker: the call has ended; retain the worker while it runs");
    }
    const lease = {};
    this.#leases.add(lease);
    return {
      dispose: async () => {
        this.#leases.delete(lease);
      },
    };
  }

  async #watch(options: HostWatchOptions, on: ExperimentalHostWatchListener): Promise<ExperimentalHostWatchSubscription> {
    const checked = checkWatchOptions(options);
    const listener = checkWatchListener(on);
    if (this.#disposal !== undefined) {
      throw new Error("experimental_watch: the worker stops");
    }
    checkWatchCount(this.#watches.size);
    if (this.#options.experimental_watch === undefined) {
      throw new Error("experimental_watch is not given: pass experimental_watch to experimental_createHostEntryHarness");
    }
    // Counted before it runs, as many may be started at once.
    let source: { dispose(): void | Promise<void> } | undefined;
    const watch = {
      dispose: async () => {
        if (this.#watches.delete(watch)) {
          await source?.dispose();
        }
      },
    };
    this.#watches.add(watch);
    try {
      source = await this.#options.experimental_watch(checked, async (unnamed) => {
        if (!this.#watches.has(watch)) {
          return;
        }
        const event = watchEvent(unnamed);
        if (event.kind === "watch-error") {
          void watch.dispose();
        }
        await listener(withinBatch(event));
      });
    } catch (failure) {
      this.#watches.delete(watch);
      throw failure;
    }
    if (!this.#watches.has(watch)) {
      await source.dispose();
    }
    return watch;
  }

  readonly experimental_getSignals = (): EmittedSignal[] => [...this.#signals];

  readonly experimental_getRetainedWorkerLeaseCount = (): number => this.#leases.size;

  readonly experimental_dispose = (): Promise<void> => (this.#disposal ??= this.#dispose());

  async #dispose(): Promise<void> {
    // The calls must see that disposal began before their signals abort.
    await Promise.resolve();
    this.#lifecycle.abort();
    for (const call of [...this.#calls]) {
      call.abort(callFailure("worker_exited", "the host entry was disposed during the call"));
    }
    this.#leases.clear();
    for (const watch of [...this.#watches]) {
      void watch.dispose();
    }
    try {
      await this.#entry.dispose?.();
    } finally {
      if (this.#ownDirectory !== undefined) {
        rmSync(this.#ownDirectory, { recursive: true, force: true });
      }
    }
  }
}

/** As `svc.hosts.experimental_client(…).call` rejects. */
function hostCallError({ message, code, details, cause }: HostCallFailure): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name: "HostCallError", code, hostId: kHostId, ...(details === undefined ? {} : { details }) });
}
