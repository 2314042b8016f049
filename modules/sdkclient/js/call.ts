/** One call of `svc.sdk`: the argument into a request, the request to the service, the answer into a value. */
import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { kindOf } from "../../plugins/js/policy/arguments";
import { describeViolation, jsonTextOf } from "../../plugins/js/policy/strict_json";
import type { SdkMethod } from "./methods";
import { reasonOf } from "./reason";
import { neededMembers, numberOf, takeTarget, wholeArgument } from "./request";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
const { setTimeout, clearTimeout, Promise, Buffer, Uint8Array, encodeURIComponent } = globalThis;

/** lim.sdkTimeout, in milliseconds. */
const kSdkTimeout = 75_000;

export interface SdkRequest {
  verb: string;
  /** Path and query. */
  target: string;
  /** "" for none. */
  body: string;
  /** The body is the Base64 of bytes of this type; without it, it is JSON. */
  bytesType?: string;
  signal: AbortSignal | undefined;
  /** What the call may wait for on purpose, in milliseconds; added to lim.sdkTimeout. */
  waitMs?: number;
}

export type Send = (path: string, request: SdkRequest) => Promise<Record<string, unknown>>;

/** The argument object of a method: checked, its signal taken out. */
export function readArgument(
  api: PluginApi,
  path: string,
  argument: unknown,
  required: readonly string[],
): { members: Record<string, unknown>; signal: AbortSignal | undefined } {
  const member = `sdk.${path}`;
  if (argument === undefined && required.length === 0) {
    return { members: {}, signal: undefined };
  }
  if (typeof argument !== "object" || argument === null || Array.isArray(argument)) {
    api.fail(member, `needs one object${required.length > 0 ? ` { ${required.join(", ")} }` : ""}, got ${kindOf(argument)}`);
  }
  const { signal, ...members } = argument as Record<string, unknown>;
  for (const name of required) {
    if (members[name] === undefined) {
      api.fail(member, `"${name}" is missing`);
    }
  }
  if (signal !== undefined && typeof (signal as Partial<AbortSignal> | null)?.aborted !== "boolean") {
    api.fail(member, `signal must be an AbortSignal, is ${kindOf(signal)}`);
  }
  return { members, signal: signal as AbortSignal | undefined };
}

/** The request of one line of the table. */
export function makeRequest(api: PluginApi, method: SdkMethod, argument: unknown): SdkRequest {
  const { members, signal } = readArgument(api, method.path, wholeArgument(method, argument), neededMembers(method));
  const waitMs = numberOf(members.waitMs);
  const target = takeTarget(
    method,
    members,
    api.pluginId,
    (what, value) => api.fail(`sdk.${method.path}`, `${what}, is ${kindOf(value)}`),
    (name, text) => encoded(method.path, name, text),
  );
  return {
    verb: method.verb,
    target,
    body: bodyText(api, method.path, members),
    signal,
    waitMs: typeof waitMs === "number" ? waitMs : 0,
  };
}

function bodyText(api: PluginApi, path: string, members: Record<string, unknown>): string {
  return Object.keys(members).length === 0 ? "" : jsonText(api, path, "the argument", members);
}

export function jsonText(api: PluginApi, path: string, what: string, value: unknown): string {
  const text = jsonTextOf(value);
  if (typeof text !== "string") {
    return api.fail(`sdk.${path}`, `${what} is not JSON: ${describeViolation("value", text)}`);
  }
  return text;
}

/** A text as a part of the address of a request; `name` is the member it comes from. */
export function encoded(path: string, name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw httpError(400, "invalid_input", `svc.sdk.${path}: "${name}" is not well-formed Unicode text`);
  }
}

export function httpError(status: number, code: string | null, message: string, details?: unknown): Error {
  return Object.assign(new Error(message), { name: "HttpError", status, code, details });
}

export function notSupportedError(path: string, why: string): Error {
  return httpError(501, "not_supported", `svc.sdk.${path} is not supported: ${why}`, { member: `svc.sdk.${path}` });
}

/** Sends requests through the host functions "sdk.request" and "sdk.cancel". */
export function makeSend(runtime: HostRuntime): Send {
  let last = 0;

  return (path, { verb, target, body, bytesType, signal, waitMs = 0 }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(reasonOf(signal, path));
        return;
      }
      const id = ++last;
      const cancel = (failure: unknown): void => {
        settle();
        runtime.callSync("sdk.cancel", String(id));
        reject(failure);
      };
      const onAbort = (): void => cancel(reasonOf(signal, path));
      const limit = kSdkTimeout + waitMs;
      const timer = setTimeout(() => cancel(timeoutError(path, limit)), limit);
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      // Neither line break can be part of an encoded target.
      const method = bytesType === undefined ? verb : `${verb} ${bytesType}`;
      runtime.call("sdk.request", `${id}\n${method}\n${target}\n${body}`).then(
        (answer) => {
          settle();
          try {
            resolve(readAnswer(path, answer ?? ""));
          } catch (failure) {
            reject(failure);
          }
        },
        (failure: Error & { code?: string; details?: unknown }) => {
          settle();
          reject(httpError(503, failure.code ?? null, `svc.sdk.${path}: ${failure.message}`, failure.details));
        },
      );
    });
}

function timeoutError(path: string, limit: number): Error {
  const message = `svc.sdk.${path} had no answer within ${limit} ms (limit sdkTimeout)`;
  return Object.assign(new Error(message), { name: "RequestTimeoutError" });
}

interface Envelope {
  ok?: boolean;
  error?: { code?: string; message?: string; details?: unknown; issues?: unknown };
}

/** Bytes, which travel as Base64. */
function readBytes(mimeType: string, base64: string): Record<string, unknown> {
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  return { bytes, mimeType, sizeBytes: bytes.length };
}

/** Status, line break, envelope; or status, type, line break, Base64. Answers without an envelope (`/readyz`) are taken as they are. */
function readAnswer(path: string, answer: string): Record<string, unknown> {
  const line = answer.indexOf("\n");
  const [statusText, type] = answer.slice(0, line).split(" ");
  const status = Number(statusText);
  if (type !== undefined) {
    return readBytes(type, answer.slice(line + 1));
  }
  let envelope: Envelope & Record<string, unknown>;
  try {
    envelope = parse(answer.slice(line + 1)) as Envelope & Record<string, unknown>;
  } catch {
    throw httpError(status, null, `svc.sdk.${path}: the service answered ${status} without JSON`);
  }
  if (envelope.ok !== false) {
    return envelope;
  }
  const { code = null, message = "", details, issues } = envelope.error ?? {};
  if (status === 404 && code === "unknown_route") {
    throw notSupportedError(path, "this service does not have its route");
  }
  throw Object.assign(httpError(status, code, message, details), issues === undefined ? {} : { issues });
}
