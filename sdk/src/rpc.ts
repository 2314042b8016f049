import type { JsonValue, MaybePromise } from "./json.js";
import { kMethodName } from "./method_name.js";
import { isStandardSchema, type StandardSchemaV1 } from "./standard_schema.js";

/**
 * One RPC method. The client's input is checked by `input`, the handler's result by `output`; a null `input` says
 * that the method takes none, so callers leave it out.
 */
export interface PluginRpcMethod {
  readonly input: StandardSchemaV1 | null;
  readonly output: StandardSchemaV1;
}

/** Methods by name. A name is dotted segments of letters, digits, `-` and `_`: `todos_list`, `notes.search`. */
export type PluginRpcContract = { readonly [method: string]: PluginRpcMethod };

/** What a handler receives: the output of the input schema, or `undefined` when the contract says `input: null`. */
export type PluginRpcHandlerInput<Method extends PluginRpcMethod> = Method["input"] extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Method["input"]>
  : undefined;

/** What a handler returns: the input of the output schema, which may still fill in defaults or transform. */
export type PluginRpcHandlerResult<Method extends PluginRpcMethod> = StandardSchemaV1.InferInput<Method["output"]>;

/** What a caller sends. */
export type PluginRpcInput<Method extends PluginRpcMethod> = Method["input"] extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Method["input"]>
  : undefined;

/** What a caller gets. */
export type PluginRpcOutput<Method extends PluginRpcMethod> = StandardSchemaV1.InferOutput<Method["output"]>;

/** Who called: a client of the HTTP interface, or another plugin. A client cannot claim to be a plugin. */
export type PluginRpcCaller = { kind: "client" } | { kind: "plugin"; pluginId: string };

/** What an RPC handler gets beside its input. */
export interface PluginRpcContext {
  /** Aborts when the client disconnects, and after 75 s (the client then gets 504 `timeout`). */
  readonly signal: AbortSignal;
  readonly caller: PluginRpcCaller;
  /** The same object as `caller`. */
  readonly experimental_caller: PluginRpcCaller;
}

/** Answers one RPC method. A throw fails the call with `handler_error`, a result that the output schema refuses with `invalid_output`. */
export type PluginRpcHandler<Method extends PluginRpcMethod> = (
  input: PluginRpcHandlerInput<Method>,
  context: PluginRpcContext,
) => MaybePromise<PluginRpcHandlerResult<Method>>;

/** Exactly one handler for each method of the contract. */
export type PluginRpcHandlers<Contract extends PluginRpcContract> = {
  // Always true, and conditional so that a handler that stands in the call is checked against the very output of its method: as a plain
  // function type, its literals would be widened (`"idle"` to `string`) before the contract is known.
  [Name in keyof Contract]: Contract[Name] extends PluginRpcMethod ? PluginRpcHandler<Contract[Name]> : never;
};

/** What `svc.rpc.register` takes beside contract and handlers. */
export interface PluginRpcRegisterOptions<Name extends string = string> {
  /** Methods to advertise to other plugins: all, none, or a list of names. Not access control. */
  experimental_published?: boolean | Name[];
}

/** `svc.rpc`: methods that the app entry, other plugins and programs call. */
export interface PluginRpc {
  /**
   * Registers methods at `POST /api/v1/plugins/<id>/rpc/<method>`. A call runs input schema, handler, output schema,
   * in this order. May be called several times with different methods.
   *
   * A handler that throws answers `handler_error` (HTTP 500) with the error's message; a string `code` and a boolean
   * `retryable` of the error are copied to `error.details`.
   *
   * @throws TypeError when contract and handlers do not name the same methods, or a method is registered already.
   *   Nothing is registered then.
   */
  register<Contract extends PluginRpcContract>(
    contract: Contract,
    handlers: PluginRpcHandlers<Contract>,
    options?: PluginRpcRegisterOptions<keyof Contract & string>,
  ): void;
}

/** Where a validation failed: names of members and indexes of arrays, from the root of the value. */
export type PluginRpcIssuePathSegment = string | number;

/** One thing that a schema objects to. */
export interface PluginRpcValidationIssue {
  message: string;
  /** Absent when it is about the value as a whole. */
  path?: PluginRpcIssuePathSegment[];
}

/** Why a call failed. Others may come with later versions. */
export type PluginRpcErrorCode =
  | "invalid_json"
  | "invalid_input"
  | "invalid_output"
  | "unknown_plugin"
  | "unknown_method"
  | "plugin_not_running"
  | "handler_error"
  | "non_json_result"
  | "too_large"
  | "timeout"
  | "overloaded"
  | (string & {});

/** The `error` member of a failed call's envelope `{ ok: false, error }`. */
export interface PluginRpcErrorBody {
  /** Stable name. */
  code: PluginRpcErrorCode;
  message: string;
  /** What the schema objected to, for `invalid_input` and `invalid_output`. */
  issues?: PluginRpcValidationIssue[];
  details?: JsonValue;
}

function fail(what: string): never {
  throw new TypeError(`defineRpcContract: ${what}`);
}

/**
 * Declares the methods of a plugin. Returns `contract` itself; its type carries the schemas, so that handlers and
 * callers are checked against them. Export it, and import only its type elsewhere.
 *
 * @throws TypeError when a method name breaks the grammar or a schema is not a Standard Schema v1 validator.
 */
export function defineRpcContract<Contract extends PluginRpcContract>(contract: Contract): Contract {
  if (typeof contract !== "object" || contract === null || Array.isArray(contract)) {
    fail("the contract must be an object of methods");
  }
  for (const [name, method] of Object.entries(contract as Record<string, unknown>)) {
    if (!kMethodName.test(name)) {
      fail(`method name "${name}" must be dotted segments of letters, digits, "-" and "_"`);
    }
    if (typeof method !== "object" || method === null) {
      fail(`method "${name}" must be an object { input, output }`);
    }
    const { input, output } = method as { input?: unknown; output?: unknown };
    if (input !== null && !isStandardSchema(input)) {
      fail(`input of method "${name}" must be a Standard Schema v1 validator, or null when it takes no input`);
    }
    if (!isStandardSchema(output)) {
      fail(`output of method "${name}" must be a Standard Schema v1 validator`);
    }
  }
  return contract;
}
