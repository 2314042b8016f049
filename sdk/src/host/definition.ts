import type { HostSignals } from "../hosts.js";
import type { MaybePromise } from "../json.js";
import { kMethodName } from "../method_name.js";
import type { PluginRpcContract, PluginRpcHandlerInput, PluginRpcHandlerResult } from "../rpc.js";
import { isStandardSchema, type StandardSchemaV1 } from "../standard_schema.js";

/** What a host entry may send to its server entry: by name, the validator of the payload. */
export type ExperimentalHostSignals = HostSignals;
/** One signal of a host entry: `payload` is the Standard Schema v1 validator that checks what is sent, on both sides. */
export type ExperimentalHostSignalContract = HostSignals[string];

/** A signal as the server entry receives it. */
export interface ExperimentalHostSignalEvent<Payload = unknown> {
  /** The machine whose worker sent it. */
  hostId: string;
  payload: Payload;
}

/** `dataDir` is kept, one per plugin and machine; `tempDir` goes with the worker. Both are absolute and exist. */
export interface ExperimentalHostPaths {
  readonly dataDir: string;
  readonly tempDir: string;
}

/** Keeps a worker from the idle stop while it is held. A worker may hold several; none outlives the worker. */
export interface ExperimentalHostWorkerLease {
  /** Gives the lease back; resolves when that is on its way. May be repeated, also after the worker was told to stop. Never rejects. */
  dispose(): Promise<void>;
}

/** A running watch of a directory tree. While there is one, the worker is not stopped for idleness. */
export interface ExperimentalHostWatchSubscription {
  /** Ends the watch: its listener is not called any more. May be repeated, also after the worker was told to stop. Never rejects. */
  dispose(): Promise<void>;
}

/** Which directory tree `experimental_watch` watches, and how its changes are joined to batches. */
export interface ExperimentalHostWatchOptions {
  /** An absolute path, at most 16 KiB. */
  rootPath: string;
  /** Up to 4,096 paths below the root, 16 KiB each. What lies below an ignored directory is ignored, too. */
  ignoredPaths?: string[];
  /** Milliseconds without a change before a batch is sent: 10 to 5,000, default 75. */
  debounceMs?: number;
  /** Milliseconds after which a batch is sent in any case: `debounceMs` to 30,000, default 500. */
  maxWaitMs?: number;
}

/** What happened to a path within a batch. One that was deleted and made again is an `update`; a move is a `delete` and a `create`. */
export type ExperimentalHostWatchChangeType = "create" | "update" | "delete";

/** A path of a batch, once for each path. One that came and went within a batch is left out. */
export interface ExperimentalHostWatchChange {
  /** Relative to the root. */
  path: string;
  type: ExperimentalHostWatchChangeType;
}

/** `kind` says what happened; `type` has the same value. */
export type ExperimentalHostWatchEvent =
  /** At most 4,096 paths, relative to the root, and 1 MiB of JSON. */
  | { kind: "changed"; type: "changed"; changes: ExperimentalHostWatchChange[] }
  /** More changed than a batch holds, or changes were lost: read the tree again. */
  | { kind: "rescan-required"; type: "rescan-required" }
  /** The watch has ended, for example because the root was deleted. */
  | { kind: "watch-error"; type: "watch-error"; message: string };

/** The next event comes when the listener has returned, and when the promise it returned has settled. */
export type ExperimentalHostWatchListener = (event: ExperimentalHostWatchEvent) => void | Promise<void>;

/** `ExperimentalHostWatchOptions` under its short name. */
export type HostWatchOptions = ExperimentalHostWatchOptions;
/** `ExperimentalHostWatchEvent` under its short name. */
export type HostWatchEvent = ExperimentalHostWatchEvent;

/** What a handler of a host entry gets beside its input. It belongs to one call; `lifecycle`, leases and watches to the worker. */
export interface ExperimentalHostRpcContext<Signals extends HostSignals = {}> {
  /** Aborts when this call is cancelled, its time is over or the worker stops. A handler that ignores it for 5 s ends the worker. */
  readonly signal: AbortSignal;
  /** Aborts when the worker stops. */
  readonly lifecycle: { readonly signal: AbortSignal };
  readonly experimental_paths: ExperimentalHostPaths;
  /**
   * Sends a signal to the server entry; at most 8 MiB as JSON. It is dropped without an error when the machine is not connected
   * or the plugin was reloaded meanwhile.
   *
   * @throws TypeError (rejects) for a name that is not declared and a payload that does not fit.
   */
  experimental_emitSignal<Name extends keyof Signals & string>(
    name: Name,
    payload: StandardSchemaV1.InferInput<Signals[Name]["payload"]>,
  ): Promise<void>;
  /**
   * Keeps the worker from being stopped for idleness (5 min without a call) until `dispose`. To be called while the call runs;
   * the lease outlives it.
   *
   * @throws Error after the call has ended.
   */
  experimental_retainWorker(): ExperimentalHostWorkerLease;
  /**
   * Watches a directory tree until `dispose` of the result, also after the call; symbolic links are not followed. A worker that
   * watches is not stopped for idleness. The next event comes when the listener has returned and its promise, if any, settled.
   *
   * @throws TypeError (rejects) for options that are wrong, Error beyond 256 watches of the worker and when the root cannot be
   *   watched.
   */
  experimental_watch(options: ExperimentalHostWatchOptions, on: ExperimentalHostWatchListener): Promise<ExperimentalHostWatchSubscription>;
}

/** Exactly one handler for each method of the contract. */
export type ExperimentalHostHandlers<Contract extends PluginRpcContract, Signals extends HostSignals> = {
  [Name in keyof Contract]: (
    input: PluginRpcHandlerInput<Contract[Name]>,
    context: ExperimentalHostRpcContext<Signals>,
  ) => MaybePromise<PluginRpcHandlerResult<Contract[Name]>>;
};

/** Handlers by method, as `ExperimentalHostHandlers`, for an entry that needs no signals unless some are given. */
export type ExperimentalHostRpcHandlers<Contract extends PluginRpcContract, Signals extends HostSignals = {}> = ExperimentalHostHandlers<
  Contract,
  Signals
>;

/** What `experimental_defineHostEntry` takes: the methods of a host entry, their handlers, and the signals it may send. */
export interface ExperimentalHostEntryDefinition<Contract extends PluginRpcContract, Signals extends HostSignals> {
  /** The same contract that the server entry gives to `svc.hosts.experimental_client`. */
  contract: Contract;
  /** Inputs are at most 32 MiB as JSON, results 8 MiB. Both are checked by the contract on both sides. */
  handlers: ExperimentalHostHandlers<Contract, Signals>;
  /** Signals that handlers may send; default: none. Give the same to `svc.hosts.experimental_client`. */
  experimental_signals?: Signals;
  /** Runs when the worker stops, after every signal aborted; it has 5 s. */
  dispose?(): void | Promise<void>;
}

/** The default export of a host entry. */
export interface ExperimentalHostEntry<Contract extends PluginRpcContract = PluginRpcContract, Signals extends HostSignals = HostSignals> {
  readonly experimental_apiVersion: 1;
  readonly contract: Contract;
  readonly handlers: ExperimentalHostHandlers<Contract, Signals>;
  readonly experimental_signals: Signals;
  readonly dispose?: () => void | Promise<void>;
}

const kMember = "experimental_defineHostEntry";

function fail(what: string): never {
  throw new TypeError(`${kMember}: ${what}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Makes the default export of a host entry: code that runs in a worker process on each machine the server entry calls.
 *
 * A handler that throws fails its call with the code `handler_error` and the error's message. There is no way to the server but
 * results and signals: what a call needs, credentials included, travels in its input.
 *
 * @throws TypeError when contract and handlers do not name the same methods, or a schema is not a Standard Schema v1 validator.
 */
export function experimental_defineHostEntry<Contract extends PluginRpcContract, Signals extends HostSignals = {}>(
  definition: ExperimentalHostEntryDefinition<Contract, Signals>,
): ExperimentalHostEntry<Contract, Signals> {
  if (!isObject(definition)) {
    fail("the definition must be an object { contract, handlers }");
  }
  const { contract, handlers, experimental_signals: signals = {} as Signals, dispose } = definition;
  checkContract(contract);
  checkHandlers(contract, handlers);
  checkSignals(signals);
  if (dispose !== undefined && typeof dispose !== "function") {
    fail("dispose must be a function");
  }
  return {
    experimental_apiVersion: 1,
    contract,
    handlers,
    experimental_signals: signals,
    ...(dispose === undefined ? {} : { dispose: () => dispose.call(definition) }),
  };
}

function checkContract(contract: unknown): void {
  if (!isObject(contract)) {
    fail("contract must be an object of methods");
  }
  for (const [name, method] of Object.entries(contract)) {
    if (!kMethodName.test(name)) {
      fail(`method name "${name}" must be dotted segments of letters, digits, "-" and "_"`);
    }
    if (!isObject(method)) {
      fail(`method "${name}" must be an object { input, output }`);
    }
    if (method.input !== null && !isStandardSchema(method.input)) {
      fail(`input of method "${name}" must be a Standard Schema v1 validator, or null when it takes no input`);
    }
    if (!isStandardSchema(method.output)) {
      fail(`output of method "${name}" must be a Standard Schema v1 validator`);
    }
  }
}

function checkHandlers(contract: object, handlers: unknown): void {
  if (!isObject(handlers)) {
    fail("handlers must be an object of functions");
  }
  for (const name of Object.keys(contract)) {
    if (!Object.hasOwn(handlers, name) || typeof handlers[name] !== "function") {
      fail(`method "${name}" has no handler function`);
    }
  }
  for (const name of Object.keys(handlers)) {
    if (!Object.hasOwn(contract, name)) {
      fail(`handler "${name}" has no method in the contract`);
    }
  }
}

function checkSignals(signals: unknown): void {
  if (!isObject(signals)) {
    fail("experimental_signals must be an object of { payload } by name");
  }
  for (const [name, signal] of Object.entries(signals)) {
    if (!isObject(signal) || !isStandardSchema(signal.payload)) {
      fail(`payload of signal "${name}" must be a Standard Schema v1 validator`);
    }
  }
}
