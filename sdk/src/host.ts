export { experimental_defineHostEntry } from "./host/definition.js";
export { defineRpcContract } from "./rpc.js";
export type {
  ExperimentalHostEntry,
  ExperimentalHostEntryDefinition,
  ExperimentalHostHandlers,
  ExperimentalHostPaths,
  ExperimentalHostRpcContext,
  ExperimentalHostRpcHandlers,
  ExperimentalHostSignalContract,
  ExperimentalHostSignalEvent,
  ExperimentalHostSignals,
  ExperimentalHostWatchChange,
  ExperimentalHostWatchChangeType,
  ExperimentalHostWatchEvent,
  ExperimentalHostWatchListener,
  ExperimentalHostWatchOptions,
  ExperimentalHostWatchSubscription,
  ExperimentalHostWorkerLease,
  HostWatchEvent,
  HostWatchOptions,
} from "./host/definition.js";
export type { ExperimentalHostCallOptions, ExperimentalHostClient } from "./hosts.js";
export type { JsonInput, JsonLike, JsonValue, MaybePromise } from "./json.js";
export type { PluginRpcContract, PluginRpcMethod } from "./rpc.js";
export type { StandardSchemaV1 } from "./standard_schema.js";
