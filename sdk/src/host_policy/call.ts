import { jsonTextOf } from "../json_problem.js";
import type { ExperimentalHostEntry, ExperimentalHostRpcContext } from "../host/definition.js";
import type { PluginRpcMethod } from "../rpc.js";
import type { StandardSchemaV1 } from "../standard_schema.js";

// What crosses between the server and a worker is what the schemas accept, as JSON text. Each side checks it with the contract
// and gives its own code what the schema makes of it, so that a schema that transforms does so once for each reader.

/** Bytes of JSON: `L:host-input`, `L:host-output` (results and signals). */
export const kHostInputMax = 32 * 1024 * 1024;
export const kHostOutputMax = 8 * 1024 * 1024;

/** JSON text; undefined for `undefined`, which JSON cannot say. */
export type Wire = string | undefined;

/** A failed call as it crosses. The caller's side makes a `HostCallError` of it. */
export interface HostCallFailure extends Error {
  code: string;
  details?: unknown;
}

export function callFailure(code: string, message: string, details?: unknown, cause?: unknown): HostCallFailure {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  ownFailures.add(error);
  return Object.assign(error, { code, ...(details === undefined ? {} : { details }) });
}

/** Those that are made here: what other code throws may have a `code`, too, which is no code of a call. */
const ownFailures = new WeakSet<object>();

/** Characters of the message of a failure: what is longer would end the worker, and every other call with it. */
const kFailureText = 64 * 1024;

/** Not within a pair of surrogates, which no JSON reader takes apart. */
const cut = (text: string): string =>
  text.length <= kFailureText ? text : `${text.slice(0, kFailureText).replace(/[\ud800-\udbff]$/, "")}…`;

/** What a handler, a schema or a getter of a value threw, as it crosses. */
export function failureOf(thrown: unknown): HostCallFailure {
  if (typeof thrown === "object" && thrown !== null && ownFailures.has(thrown)) {
    return thrown as HostCallFailure;
  }
  const { text, code } = describe(thrown);
  return callFailure("handler_error", cut(text), typeof code === "string" ? { code: cut(code) } : undefined, thrown);
}

function describe(thrown: unknown): { text: string; code?: unknown } {
  try {
    const { message, code } = (thrown ?? {}) as { message?: unknown; code?: unknown };
    // An error without a message has at least a name.
    return { text: typeof message === "string" && message !== "" ? message : String(thrown), code };
  } catch {
    return { text: "a value that cannot be shown was thrown" };
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Makes what crosses of a value: strict JSON, within the limit. */
export function toWire(value: unknown, what: string, limit: { name: string; bytes: number; jsonCode: string }): Wire {
  if (value === undefined) {
    return undefined;
  }
  const json = jsonTextOf(value, what);
  if (json.problem !== undefined) {
    throw callFailure(limit.jsonCode, json.problem);
  }
  const { text } = json;
  // Nothing below a third of the limit can exceed it, whatever its characters are.
  const size = text.length > limit.bytes / 3 ? utf8Length(text) : text.length;
  if (size > limit.bytes) {
    throw callFailure("too_large", `${what} has ${size} bytes as JSON, more than the ${limit.bytes} of ${limit.name}`);
  }
  return text;
}

export const kInput = { name: "the limit host-input", bytes: kHostInputMax, jsonCode: "invalid_input" };
export const kResult = { name: "the limit host-output", bytes: kHostOutputMax, jsonCode: "non_json_result" };
export const kSignal = { name: "the limit host-output", bytes: kHostOutputMax, jsonCode: "invalid_payload" };

export const fromWire = (wire: Wire): unknown => (wire === undefined ? undefined : JSON.parse(wire));

/** What the schema makes of a value. */
export async function validate(schema: StandardSchemaV1, value: unknown, code: string, what: string): Promise<unknown> {
  const outcome = await schema["~standard"].validate(value);
  if (outcome.issues) {
    const issues = outcome.issues.slice(0, 100).map(({ message, path = [] }) => ({
      message,
      path: Array.from(path, (segment) => {
        const key = typeof segment === "object" ? segment.key : segment;
        return typeof key === "number" ? key : String(key);
      }),
    }));
    const [first] = issues;
    const place = first === undefined || first.path.length === 0 ? "" : `${first.path.join(".")}: `;
    throw callFailure(code, `${what}: ${place}${first?.message ?? "not valid"}`, { issues });
  }
  return outcome.value;
}

export async function validateInput(method: PluginRpcMethod, name: string, input: unknown): Promise<unknown> {
  if (method.input !== null) {
    return validate(method.input, input, "invalid_input", `host input validation failed for "${name}"`);
  }
  if (input !== undefined && input !== null) {
    throw callFailure("invalid_input", `host method "${name}" takes no input`);
  }
  return undefined;
}

export function validateOutput(method: PluginRpcMethod, name: string, output: unknown): Promise<unknown> {
  return validate(method.output, output, "invalid_output", `host output validation failed for "${name}"`);
}

export function methodOf(entry: Pick<ExperimentalHostEntry, "contract">, name: string): PluginRpcMethod {
  const method = Object.hasOwn(entry.contract, name) ? entry.contract[name] : undefined;
  if (method === undefined) {
    throw callFailure("unknown_method", `the host entry has no method "${name}"`);
  }
  return method;
}

/** The worker's side of one call: input check, handler, output check. Throws a `HostCallFailure`. */
export async function answerHostCall(
  entry: ExperimentalHostEntry,
  name: string,
  input: Wire,
  context: ExperimentalHostRpcContext<never>,
): Promise<Wire> {
  const method = methodOf(entry, name);
  try {
    const given = await validateInput(method, name, fromWire(input));
    const result = await (entry.handlers[name] as (input: unknown, context: unknown) => unknown)(given, context);
    await validateOutput(method, name, result);
    return toWire(result, "result", kResult);
  } catch (thrown) {
    throw failureOf(thrown);
  }
}
