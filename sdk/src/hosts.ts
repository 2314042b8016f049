import type { JsonValue } from "./json.js";
import type { PermissionMode, ProviderCapabilities, ReasoningLevel } from "./records.js";
import type { PluginRpcContract, PluginRpcInput, PluginRpcOutput } from "./rpc.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

/** Which machine a call of a host entry goes to, and what ends it early. */
export interface HostCallOptions {
  /** Id of a machine, see `svc.sdk.hosts.list()`. */
  hostId: string;
  /** Aborting rejects the call at once with `AbortError`, and aborts `context.signal` of the handler. */
  signal?: AbortSignal;
  /** Milliseconds until the call fails with `timeout`, start of the worker included: 1 to 2³¹ − 1, default 30,000. */
  timeoutMs?: number;
}

/**
 * Why a call failed. Others may come with later versions.
 *
 * - `unknown_host`, `host_unavailable`: there is no such machine; it is not connected, or the connection was lost during the call.
 *   The call may have run.
 * - `timeout`: `timeoutMs` is over. The handler's signal is aborted.
 * - `plugin_not_running`: the factory has not returned yet, or the plugin was unloaded during the call.
 * - `invalid_input`, `invalid_output`: the contract refused it, on either side; `details.issues` name the places.
 * - `unknown_method`: the host entry has no such method. `handler_error`: the handler or a schema threw this message; its `code` is in `details`.
 * - `non_json_result`: the handler returned something that JSON cannot hold.
 * - `too_large`: more than 32 MiB of input, or 8 MiB of output, as JSON.
 * - `too_many_calls`: 256 calls of this plugin, or 32 MiB of their inputs, are on their way. Try again later.
 * - `worker_start_failed`, `worker_exited`: the host entry could not be loaded; its process ended during the call, with
 *   `details: { code, signal }`. The next call starts another one.
 * - `generation_retired`: the plugin was reloaded meanwhile. `artifact_unavailable`, `artifact_mismatch`: the plugin has no host
 *   entry, or the machine could not get it; it got another one than the server has.
 */
export type HostCallErrorCode =
  | "unknown_host"
  | "host_unavailable"
  | "timeout"
  | "plugin_not_running"
  | "invalid_input"
  | "invalid_output"
  | "unknown_method"
  | "handler_error"
  | "non_json_result"
  | "too_large"
  | "too_many_calls"
  | "worker_start_failed"
  | "worker_exited"
  | "generation_retired"
  | "artifact_unavailable"
  | "artifact_mismatch"
  | (string & {});

/** What a failed call rejects with. Recognise it by `name`. */
export interface HostCallError extends Error {
  readonly name: "HostCallError";
  readonly code: HostCallErrorCode;
  readonly hostId: string;
  readonly details?: { readonly [member: string]: JsonValue };
}

/** Signals of a host entry by name, as `experimental_defineHostEntry` takes them. */
export type HostSignals = { readonly [name: string]: { readonly payload: StandardSchemaV1 } };

/** The server's end of the plugin's host entry: calls its methods and hears its signals. */
export interface HostClient<Contract extends PluginRpcContract, Signals extends HostSignals> {
  /**
   * Calls the host entry of this plugin on a machine. Input (32 MiB as JSON) and output (8 MiB) are checked by the contract on
   * both sides. An abort rejects with `AbortError`, every other failure with a `HostCallError`; inside the factory its code is
   * `plugin_not_running`.
   *
   * @throws TypeError (rejects) for a method that the contract does not have, and options that are wrong.
   */
  call<Method extends keyof Contract & string>(
    method: Method,
    input: PluginRpcInput<Contract[Method]>,
    options: HostCallOptions,
  ): Promise<PluginRpcOutput<Contract[Method]>>;
  /**
   * The worker on a machine has ended and nobody asked for it: a crash, its heap limit, `process.exit()`. Not told: reload, disable,
   * removal, the idle stop, the end of the daemon. Returns what removes the listener.
   */
  experimental_onWorkerExit(listener: (exit: { hostId: string }) => void): () => void;
  /**
   * A signal of the host entry on any machine, in the order in which one worker sent them. One whose payload the schema refuses is
   * dropped, with a line in the log; so is one of an earlier load. Nothing is kept for a machine that is not connected. Returns what
   * removes the listener.
   *
   * @throws TypeError for a name that `experimental_signals` does not have.
   */
  experimental_onSignal<Name extends keyof Signals & string>(
    name: Name,
    listener: (signal: { hostId: string; payload: StandardSchemaV1.InferOutput<Signals[Name]["payload"]> }) => void,
  ): () => void;
}

/** Name under which authors of host entries know `HostCallOptions`: the machine to call, and what ends the call early. */
export type ExperimentalHostCallOptions = HostCallOptions;
/** Name under which authors of host entries know `HostClient`, with no signals unless some are given. */
export type ExperimentalHostClient<Contract extends PluginRpcContract, Signals extends HostSignals = {}> = HostClient<Contract, Signals>;

/** Under which name shared ports of a machine are reached. No version of the service gives one yet. */
export interface PluginSharedPortTunnelIdentity {
  label: string;
  baseDomain: string;
}

/** `svc.hosts`: the plugin's code on machines. */
export interface PluginHosts {
  /**
   * The server's end of the plugin's host entry, with the contract and the signals that the host entry has. May be called in the factory;
   * calls can be made after it.
   *
   * @throws TypeError for a contract or signals without Standard Schema v1 validators.
   */
  experimental_client<Contract extends PluginRpcContract, Signals extends HostSignals = {}>(options: {
    contract: Contract;
    experimental_signals?: Signals;
  }): HostClient<Contract, Signals>;
  /**
   * Replaces the ports of a host that this plugin shares (1…65535). Withdrawn when the plugin is unloaded.
   *
   * @throws TypeError for an unknown host or a port that is none.
   */
  declareSharedPorts(hostId: string, ports: number[]): void;
  /** Rejects with `not_supported`. */
  ensureSharedPortTunnel(hostId: string): Promise<PluginSharedPortTunnelIdentity>;
}

/** An agent provider that this plugin's host entry runs. */
export interface ProviderDeclaration {
  /** 2 to 64 lower-case letters, digits and `-`; unique in the service. */
  id: string;
  /** Up to 80 characters. */
  displayName: string;
  family?: string;
  icon?: string;
  maintenance?: { health?: boolean; usage?: boolean; installation?: boolean };
  capabilities: Partial<ProviderCapabilities>;
  /** What the composer offers beside messages; none: `[]`. */
  composerActions: ("plan" | "goal")[];
  strings?: { [key: string]: JsonValue };
  serviceTiers?: JsonValue[];
  reasoningLevels?: ReasoningLevel[] | JsonValue[];
  extensionKinds?: JsonValue[];
  models?: { fallback?: JsonValue; scope?: "host" | "workspace" };
  /** Variables of the server that the agent gets, up to 32. */
  env?: { passthrough?: string[] };
  /** At most 64 KiB as JSON. */
  experimental_bridgeOptions?: JsonValue;
  experimental_visibility?: "always" | "installed";
  deriveProviderOptions?(context: { permissionMode: PermissionMode; [key: string]: unknown }): unknown;
}

/** `svc.providers`: agent providers that the plugin declares. */
export interface PluginProviders {
  /**
   * Declares an agent provider. Needs a host entry. The declaration is copied.
   *
   * @throws TypeError on an invalid declaration, and when another plugin has the id.
   */
  register(declaration: ProviderDeclaration): { dispose(): void };
}
