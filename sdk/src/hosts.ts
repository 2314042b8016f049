import type { JsonValue } from "./json.js";
import type { PermissionMode, ProviderCapabilities, ReasoningLevel } from "./records.js";
import type { PluginRpcContract, PluginRpcInput, PluginRpcOutput } from "./rpc.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

export interface HostCallOptions {
  hostId: string;
  signal?: AbortSignal;
  /** Start of the worker included. Default 30 s. */
  timeoutMs?: number;
}

/** Signals of a host entry by name, as `experimental_defineHostEntry` takes them. */
export type HostSignals = { readonly [name: string]: { readonly payload: StandardSchemaV1 } };

export interface HostClient<Contract extends PluginRpcContract, Signals extends HostSignals> {
  /**
   * Calls the host entry of this plugin on a machine. An abort rejects with `AbortError`, everything else with an error named
   * `HostCallError` that has `code`, `hostId` and `details?`. Inside the factory the code is `plugin_not_running`.
   */
  call<Method extends keyof Contract & string>(
    method: Method,
    input: PluginRpcInput<Contract[Method]>,
    options: HostCallOptions,
  ): Promise<PluginRpcOutput<Contract[Method]>>;
  /** Unexpected exits only. Returns what removes the listener. */
  experimental_onWorkerExit(listener: (exit: { hostId: string }) => void): () => void;
  experimental_onSignal<Name extends keyof Signals & string>(
    name: Name,
    listener: (signal: { hostId: string; payload: StandardSchemaV1.InferOutput<Signals[Name]["payload"]> }) => void,
  ): () => void;
}

export interface PluginHosts {
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
  ensureSharedPortTunnel(hostId: string): Promise<{ label: string; baseDomain: string }>;
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
  composerActions?: ("plan" | "goal")[];
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

export interface PluginProviders {
  /**
   * Declares an agent provider. Needs a host entry. The declaration is copied.
   *
   * @throws TypeError on an invalid declaration, and when another plugin has the id.
   */
  register(declaration: ProviderDeclaration): { dispose(): void };
}
