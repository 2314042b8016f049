import type { JsonValue } from "../json.js";
import type { PluginRpcContract, PluginRpcErrorCode, PluginRpcMethod, PluginRpcValidationIssue } from "../rpc.js";
import type { StandardSchemaV1 } from "../standard_schema.js";

/** `PluginRpcMethod`, as app entries name it: the validators of one method. */
export type PluginRpcMethodContract = PluginRpcMethod;

type InputOf<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferInput<Schema> : null | undefined;

/** What ends a call early. */
export interface PluginRpcCallOptions {
  /** Aborting rejects the call with an `AbortError`. */
  signal?: AbortSignal;
  /** Milliseconds until the call rejects. Default 75,000. */
  timeoutMs?: number;
}

/** The arguments after the method's name: the input may be left out when the method takes none, or takes `null`. */
export type PluginRpcCallArgs<Method extends PluginRpcMethodContract, Options = PluginRpcCallOptions> =
  null extends InputOf<Method["input"]>
    ? [input?: InputOf<Method["input"]>, options?: Options]
    : undefined extends InputOf<Method["input"]>
      ? [input?: InputOf<Method["input"]>, options?: Options]
      : [input: InputOf<Method["input"]>, options?: Options];

/** What a call resolves with: the output of the method's `output` schema. */
export type PluginRpcResult<Method extends PluginRpcMethodContract> = StandardSchemaV1.InferOutput<Method["output"]>;

/** Calls the plugin's server entry. The same object for the whole life of the plugin. */
export interface PluginRpcClient<Contract extends PluginRpcContract = PluginRpcContract> {
  /**
   * An input that is left out is sent as `null`. Rejects with a `PluginRpcError`; an input that is not JSON is refused before
   * anything is sent, with the path of the problem, for example `$input.items[2]`.
   */
  call<Method extends keyof Contract & string>(
    method: Method,
    ...args: PluginRpcCallArgs<Contract[Method]>
  ): Promise<PluginRpcResult<Contract[Method]>>;
}

/** Why a call failed. `name` is `PluginRpcError`; recognise it by that, never by its class. */
export interface PluginRpcError extends Error {
  readonly name: "PluginRpcError";
  readonly code: PluginRpcErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** As in the server's log; empty when there was no answer. */
  readonly requestId: string;
  readonly issues?: PluginRpcValidationIssue[];
  readonly details?: JsonValue;
}
