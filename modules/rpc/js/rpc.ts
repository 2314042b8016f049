import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { ignoreUnknownFields } from "../../plugins/js/policy/arguments";
import { toJsonSchema, type JsonSchema } from "../../plugins/js/policy/json_schema";
import { strictJsonText } from "../../plugins/js/policy/json_text";
import { describeViolation } from "../../plugins/js/policy/strict_json";
import {
  isStandardSchema,
  isThenable,
  summarize,
  wireIssues,
  type Outcome,
  type StandardSchema,
} from "../../plugins/js/policy/standard_schema";
import { describeThrown } from "../../plugins/js/policy/thrown";
import { kMethodName } from "../../../sdk/src/method_name";
import type { PluginRpc, PluginRpcCaller, PluginRpcContext } from "../../../sdk/src/rpc";

type Handler = (input: unknown, ctx: PluginRpcContext) => unknown;

interface Method {
  readonly name: string;
  /** null: the method takes no input. */
  readonly input: StandardSchema | null;
  readonly output: StandardSchema;
  readonly handler: Handler;
  /** `this` of the handler. */
  readonly owner: object;
}

/** One call from the host: what the signal comes from, and who calls. */
interface Call {
  readonly host: HostCall;
  readonly caller: PluginRpcCaller;
}

/** A method as the service tells of it. */
interface Described {
  method: string;
  inputSchema: JsonSchema | undefined;
  outputSchema: JsonSchema | undefined;
}

type Answer = string | PromiseLike<string>;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
const { freeze } = Object;
const resolved = Promise.resolve.bind(Promise);

const kMember = "rpc.register";
const kClient: PluginRpcCaller = freeze({ kind: "client" });

/**
 * `svc.rpc`, and the host's function "rpc": meta is the method name, for a call of another plugin "\n<its id>\n<method name>",
 * body the JSON input ("" for none).
 */
export default function rpcPart(runtime: HostRuntime, api: PluginApi): void {
  const methods = new Map<string, Method>();
  const described: Described[] = [];
  const published = new Set<string>();

  function readMethod(name: string, entry: unknown, handlers: Record<string, unknown>): Method {
    if (!kMethodName.test(name)) {
      api.fail(kMember, `"${name}" is not a method name (dotted segments of letters, digits, "-" and "_")`);
    }
    if (methods.has(name)) {
      api.fail(kMember, `duplicate name "${name}"`);
    }
    if (typeof entry !== "object" || entry === null) {
      api.fail(kMember, `method "${name}" must be an object { input, output }`);
    }
    const { input, output } = entry as { input?: unknown; output?: unknown };
    if (input !== null && !isStandardSchema(input)) {
      api.fail(kMember, `input of "${name}" must be a Standard Schema v1 validator or null`);
    }
    if (!isStandardSchema(output)) {
      api.fail(kMember, `output of "${name}" must be a Standard Schema v1 validator`);
    }
    const handler = Object.prototype.hasOwnProperty.call(handlers, name) ? handlers[name] : undefined;
    if (typeof handler !== "function") {
      api.fail(kMember, `method "${name}" has no handler function`);
    }
    ignoreUnknownFields(api.problem, kMember, entry, ["input", "output"], `method "${name}"`);
    return { name, input, output, handler: handler as Handler, owner: handlers };
  }

  /** The names that are advertised. */
  function readPublished(options: unknown, contract: object): string[] {
    if (options === undefined) {
      return [];
    }
    if (typeof options !== "object" || options === null) {
      api.fail(kMember, "options must be an object");
    }
    const published = (options as { experimental_published?: unknown }).experimental_published;
    if (Array.isArray(published)) {
      const stranger = published.find((name) => !Object.keys(contract).includes(name));
      if (stranger !== undefined) {
        api.fail(kMember, `experimental_published names "${String(stranger)}", which is not in the contract`);
      }
    } else if (published !== undefined && typeof published !== "boolean") {
      api.fail(kMember, "experimental_published must be a boolean or an array of method names");
    }
    ignoreUnknownFields(api.problem, kMember, options, ["experimental_published"], "options");
    return Array.isArray(published) ? [...new Set(published as string[])] : published === true ? Object.keys(contract) : [];
  }

  function describe({ name, input, output }: Method): Described {
    const schemaOf = (schema: StandardSchema | null, direction: "input" | "output"): JsonSchema | undefined =>
      schema === null ? { type: "null" } : toJsonSchema(schema, direction);
    return { method: name, inputSchema: schemaOf(input, "input"), outputSchema: schemaOf(output, "output") };
  }

  function register(contract: unknown, handlers: unknown, options?: unknown): void {
    if (typeof contract !== "object" || contract === null) {
      api.fail(kMember, "contract must be an object of methods");
    }
    if (typeof handlers !== "object" || handlers === null) {
      api.fail(kMember, "handlers must be an object of functions");
    }
    const added = Object.entries(contract).map(([name, entry]) => readMethod(name, entry, handlers as Record<string, unknown>));
    const stranger = Object.keys(handlers).find((name) => !added.some((method) => method.name === name));
    if (stranger !== undefined) {
      api.fail(kMember, `handler "${stranger}" has no method in the contract`);
    }
    const advertised = readPublished(options, contract);
    for (const method of added) {
      methods.set(method.name, method);
    }
    described.push(...added.map(describe));
    const inOrder = (): Described[] => described.sort((left, right) => (left.method < right.method ? -1 : 1));
    api.setRegistration("rpc", inOrder);
    if (advertised.length > 0) {
      advertised.forEach((name) => published.add(name));
      api.setRegistration("rpc-published", () => inOrder().filter(({ method }) => published.has(method)));
    }
  }

  /** What a plugin threw, as the answer of this call. */
  function handlerError(thrown: unknown): Error {
    const { message, code, retryable } = describeThrown(thrown);
    const details: Record<string, unknown> = {};
    if (typeof code === "string") {
      details.code = code;
    }
    if (typeof retryable === "boolean") {
      details.retryable = retryable;
    }
    const cause = thrown ?? message;
    return runtime.error("handler_error", message, Object.keys(details).length > 0 ? { details, cause } : { cause });
  }

  function finish(method: Method, output: unknown): string {
    const text = strictJsonText(runtime, output === undefined ? null : output);
    if (typeof text !== "string") {
      throw runtime.error(
        "non_json_result",
        `rpc "${method.name}" returned a value that is not JSON: ${describeViolation("result", text)}`,
      );
    }
    return text;
  }

  function afterOutput(method: Method, outcome: Outcome): string {
    if (outcome.issues) {
      throw runtime.error("invalid_output", `rpc output validation failed for "${method.name}": ${summarize(outcome.issues)}`, {
        issues: wireIssues(outcome.issues),
      });
    }
    return finish(method, outcome.value);
  }

  // A throwing validator is the plugin's failure, like a throwing handler.
  function validate(method: Method, schema: StandardSchema, value: unknown): Outcome | PromiseLike<Outcome> {
    try {
      return schema["~standard"].validate(value);
    } catch (thrown) {
      throw handlerError(thrown);
    }
  }

  function settle<T>(method: Method, value: T | PromiseLike<T>, next: (settled: T) => Answer): Answer {
    if (!isThenable<T>(value)) {
      return next(value);
    }
    // Not every thenable (query builders, for example) has a then() that returns a promise.
    return resolved(value).then(next, (thrown) => {
      throw handlerError(thrown);
    });
  }

  function afterHandler(method: Method, result: unknown): Answer {
    return settle(method, validate(method, method.output, result), (outcome) => afterOutput(method, outcome));
  }

  function runHandler(method: Method, input: unknown, { host, caller }: Call): Answer {
    const ctx: PluginRpcContext = {
      get signal() {
        return host.signal;
      },
      caller,
      experimental_caller: caller,
    };
    let result: unknown;
    try {
      result = method.handler.call(method.owner, input, ctx);
    } catch (thrown) {
      throw handlerError(thrown);
    }
    return settle(method, result, (settled) => afterHandler(method, settled));
  }

  function afterInput(method: Method, outcome: Outcome, call: Call): Answer {
    if (outcome.issues) {
      throw runtime.error("invalid_input", `rpc input validation failed for "${method.name}": ${summarize(outcome.issues)}`, {
        issues: wireIssues(outcome.issues),
      });
    }
    return runHandler(method, outcome.value, call);
  }

  function withInput(method: Method, schema: StandardSchema, input: unknown, call: Call): Answer {
    return settle(method, validate(method, schema, input), (outcome) => {
      if (!outcome.issues || input !== undefined) {
        return afterInput(method, outcome, call);
      }
      // A schema of null lets the caller omit the argument, so an omitted input is also tried as null.
      return settle(method, validate(method, schema, null), (asNull) => afterInput(method, asNull.issues ? outcome : asNull, call));
    });
  }

  function withoutInput(method: Method, input: unknown, call: Call): Answer {
    if (input !== undefined && input !== null) {
      throw runtime.error("invalid_input", `rpc "${method.name}" takes no input`, {
        issues: [{ message: "Expected no input", path: [] }],
      });
    }
    return runHandler(method, undefined, call);
  }

  runtime.handle("rpc", (meta, body, host) => {
    const { name, caller } = readMeta(meta);
    const call: Call = { host, caller };
    const method = methods.get(name);
    if (method === undefined) {
      throw runtime.error("unknown_method", `plugin "${api.pluginId}" has no rpc method "${name}"`);
    }
    let input: unknown;
    if (body !== "") {
      try {
        input = parse(body);
      } catch (failure) {
        throw runtime.error("invalid_json", `the request body is not JSON: ${(failure as Error).message}`);
      }
    }
    return method.input === null ? withoutInput(method, input, call) : withInput(method, method.input, input, call);
  });

  api.svc.rpc = { register: api.guard(kMember, register) } satisfies PluginRpc;
}

function readMeta(meta: string): { name: string; caller: PluginRpcCaller } {
  if (!meta.startsWith("\n")) {
    return { name: meta, caller: kClient };
  }
  const end = meta.indexOf("\n", 1);
  const pluginId = meta.slice(1, end);
  return { name: meta.slice(end + 1), caller: pluginId === "" ? kClient : freeze({ kind: "plugin", pluginId }) };
}
