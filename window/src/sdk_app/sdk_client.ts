import type { PluginSdk } from "#sdk/sdk_client.js";
import type { SdkSubscription } from "#sdk/sdk_notices.js";
import { findJsonProblem } from "#sdk/json_problem.js";
import { isStandardSchema } from "#sdk/standard_schema.js";

import { readMethods, unsupportedPaths, type SdkMethod } from "../../../modules/sdkclient/js/methods";
import { isMediaType, readClientFile } from "../../../modules/sdkclient/js/client_file";
import { neededMembers, takeTarget, wholeArgument } from "../../../modules/sdkclient/js/request";
import { waitForThread } from "../../../modules/sdkclient/js/wait";
import { readStatus, type CallMethod } from "../../../modules/sdkclient/js/status";
import { api } from "@/api/http";
import { ApiError } from "@/lib/api_error";
import { url } from "@/lib/address";
import { isMissingRoute } from "./availability";
import { subscribeNotices } from "./sdk_notices";

// The table of methods is the server's own, so that both clients have the same ones.

/** lim.sdkTimeout, in milliseconds. */
const kSdkTimeoutMs = 75_000;
const kUpload = "projects.attachments.upload";
const kReadBytes = "projects.attachments.read";
const kApiPrefix = "/api/v1";
/** Threads that plugins make say so; the server says it for those of server entries. */
const kMakeThreads = new Set(["threads.spawn", "threads.fork"]);

type Members = Record<string, unknown>;
type Call = (argument?: unknown) => Promise<unknown>;

const clients = new Map<string, PluginSdk>();

/** `useSdk()` of a plugin, the same object each time. Built when it is first asked for. */
export function sdkClientOf(pluginId: string): PluginSdk {
  let client = clients.get(pluginId);
  if (client === undefined) {
    client = buildSdk(pluginId);
    clients.set(pluginId, client);
  }
  return client;
}

function buildSdk(pluginId: string): PluginSdk {
  const sdk: Members = {};
  const add = (path: string, call: Call) => {
    const areas = path.split(".");
    const name = areas.pop()!;
    let target = sdk;
    for (const area of areas) {
      target = (target[area] ??= {}) as Members;
    }
    target[name] = call;
  };
  const methods = new Map(readMethods().map((method) => [method.path, method]));
  const callPath: CallMethod = async (path, argument) => callMethod(pluginId, methods.get(path)!, argument);
  for (const path of methods.keys()) {
    add(path, async (argument) => callPath(path, argument as Members));
  }
  add("status.get", async (argument) => {
    const { members, signal } = readArgument("status.get", argument, []);
    const options = signal === undefined ? {} : { signal };
    return readStatus((await callPath("status.get", options)) as Members, callPath, { ...members, ...options });
  });
  add("threads.wait", async (argument) => {
    const { members, signal } = readArgument("threads.wait", argument, ["threadId"]);
    return waitForThread((why) => refuse("threads.wait", why), callPath, members, signal);
  });
  for (const path of unsupportedPaths()) {
    add(path, async () => {
      throw notSupported(path, "this service does not have it");
    });
  }
  add(kUpload, async (argument) => upload(argument));
  add(kReadBytes, async (argument) => readBytes(argument));
  add("plugins.callRpc", async (argument) => callRpc(argument));
  sdk.subscribe = (options: SdkSubscription) => subscribeNotices(options);
  return sdk as unknown as PluginSdk;
}

/** An error as `svc.sdk` of the server entry rejects with. */
function httpError(status: number, code: string | null, message: string, details?: unknown): Error {
  return Object.assign(new Error(message), { name: "HttpError", status, code, details });
}

function notSupported(path: string, why: string): Error {
  return httpError(501, "not_supported", `svc.sdk.${path} is not supported: ${why}`, { member: `svc.sdk.${path}` });
}

/** A text as a part of the address of a request; `name` is the member it comes from. */
function encoded(path: string, name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw httpError(400, "invalid_input", `svc.sdk.${path}: "${name}" is not well-formed Unicode text`);
  }
}

function refuse(path: string, why: string): never {
  throw new TypeError(`svc.sdk.${path}: ${why}`);
}

function readArgument(path: string, argument: unknown, required: readonly string[]): { members: Members; signal?: AbortSignal } {
  if (argument === undefined && required.length === 0) {
    return { members: {} };
  }
  if (typeof argument !== "object" || argument === null || Array.isArray(argument)) {
    refuse(path, `needs one object${required.length > 0 ? ` { ${required.join(", ")} }` : ""}`);
  }
  const { signal, ...members } = argument as Members;
  const missing = required.find((name) => members[name] === undefined);
  if (missing !== undefined) {
    refuse(path, `"${missing}" is missing`);
  }
  const problem = findJsonProblem(members, "$argument");
  if (problem !== undefined && path !== "plugins.callRpc") {
    refuse(path, problem);
  }
  return signal instanceof AbortSignal ? { members, signal } : { members };
}

async function callMethod(pluginId: string, method: SdkMethod, argument: unknown): Promise<unknown> {
  const { path, verb, result } = method;
  const { members, signal } = readArgument(path, wholeArgument(method, argument), neededMembers(method));
  const waitMs = typeof members.waitMs === "number" ? members.waitMs : 0;
  const target = takeTarget(
    method,
    members,
    pluginId,
    (what) => refuse(path, what),
    (name, text) => encoded(path, name, text),
  );
  if (kMakeThreads.has(path)) {
    Object.assign(members, { origin: "plugin", originPluginId: pluginId });
  }
  // Changes are JSON, also those without members.
  const body = verb === "GET" ? undefined : members;
  const answer = await send(path, verb, target, body, kSdkTimeoutMs + waitMs, signal);
  return result === undefined ? { ok: true, ...answer } : answer[result];
}

async function send(
  path: string,
  verb: string,
  target: string,
  body: unknown,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Members> {
  if (!target.startsWith(kApiPrefix)) {
    return readPlain(path, target, signal);
  }
  try {
    const options = { timeoutMs, ...(body === undefined ? {} : { body }), ...(signal === undefined ? {} : { signal }) };
    return await api<Members>(verb, target.slice(kApiPrefix.length), options);
  } catch (failure) {
    throw sdkFailure(path, failure, timeoutMs);
  }
}

/** A route outside of the API, which answers without an envelope. */
async function readPlain(path: string, target: string, signal: AbortSignal | undefined): Promise<Members> {
  const response = await fetch(url(target), { signal: signal ?? null });
  const value: unknown = await response.json().catch(() => undefined);
  if (typeof value !== "object" || value === null) {
    throw httpError(response.status, null, `svc.sdk.${path}: the service answered ${response.status} without JSON`);
  }
  return value as Members;
}

function sdkFailure(path: string, failure: unknown, timeoutMs: number): unknown {
  if (!(failure instanceof ApiError)) {
    return failure;
  }
  if (failure.code === "timeout" && failure.status === 0) {
    const message = `svc.sdk.${path} had no answer within ${timeoutMs} ms (limit sdkTimeout)`;
    return Object.assign(new Error(message), { name: "RequestTimeoutError" });
  }
  if (isMissingRoute(failure)) {
    return notSupported(path, "this service does not have its route");
  }
  const { status, code, message, details, issues } = failure;
  return Object.assign(httpError(status, code, message, details), issues === undefined ? {} : { issues });
}

async function callRpc(argument: unknown): Promise<unknown> {
  const path = "plugins.callRpc";
  const { members, signal } = readArgument(path, argument, ["pluginId", "method"]);
  const { pluginId, method, input, outputSchema } = members;
  if (typeof pluginId !== "string" || typeof method !== "string") {
    refuse(path, "pluginId and method must be text");
  }
  if (outputSchema !== undefined && !isStandardSchema(outputSchema)) {
    refuse(path, "outputSchema must be a Standard Schema v1 validator");
  }
  const problem = input === undefined ? undefined : findJsonProblem(input, "$input");
  if (problem !== undefined) {
    refuse(path, problem);
  }
  const target = `${kApiPrefix}/plugins/${encoded(path, "pluginId", pluginId)}/rpc/${encoded(path, "method", method)}`;
  const { result } = await send(path, "POST", target, input, kSdkTimeoutMs, signal);
  if (outputSchema === undefined) {
    return result;
  }
  const outcome = await outputSchema["~standard"].validate(result);
  if (outcome.issues !== undefined) {
    const [first] = outcome.issues;
    throw httpError(500, "invalid_output", `the result of rpc "${method}" does not fit outputSchema: ${first?.message ?? ""}`);
  }
  return outcome.value;
}

/** The members of an attachment's call; `fileMember` is none of JSON. */
function attachmentMembers(
  path: string,
  argument: unknown,
  fileMember?: string,
): { members: Members; file: unknown; route: string; signal?: AbortSignal } {
  const { [fileMember ?? ""]: file, ...rest } = (typeof argument === "object" && argument !== null ? argument : {}) as Members;
  const { members, ...options } = readArgument(path, rest, fileMember === undefined ? ["projectId", "path"] : ["projectId"]);
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && typeof value !== "string") {
      refuse(path, `"${name}" must be text`);
    }
  }
  return { members, file, route: `/projects/${encoded(path, "projectId", members.projectId as string)}/attachments`, ...options };
}

async function upload(argument: unknown): Promise<unknown> {
  const { members, file, route, signal } = attachmentMembers(kUpload, argument, "clientFile");
  const { bytes, name, type } = await readClientFile(file, (what) => refuse(kUpload, what));
  const filename = (members.filename as string | undefined) ?? name;
  const mimeType = (members.mimeType as string | undefined) ?? type ?? "";
  const response = await fetch(
    url(`${kApiPrefix}${route}${filename === undefined ? "" : `?filename=${encoded(kUpload, "filename", filename)}`}`),
    {
      method: "POST",
      headers: { "content-type": isMediaType(mimeType) ? mimeType : "application/octet-stream" },
      body: bytes,
      signal: withTimeout(signal),
    },
  );
  if (!response.ok) {
    throw await refusalOf(response);
  }
  return ((await response.json()) as Members).attachment;
}

async function readBytes(argument: unknown): Promise<unknown> {
  const { members, route, signal } = attachmentMembers(kReadBytes, argument);
  const target = `${kApiPrefix}${route}/content?path=${encoded(kReadBytes, "path", members.path as string)}`;
  const response = await fetch(url(target), { signal: withTimeout(signal) });
  if (!response.ok) {
    throw await refusalOf(response);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { bytes, mimeType: response.headers.get("content-type") ?? "application/octet-stream", sizeBytes: bytes.length };
}

function withTimeout(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(kSdkTimeoutMs);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

async function refusalOf(response: Response): Promise<Error> {
  const envelope = (await response.json().catch(() => ({}))) as { error?: { code?: string; message?: string; details?: unknown } };
  const { code = null, message = `svc.sdk: the service answered ${response.status} without JSON`, details } = envelope.error ?? {};
  return httpError(response.status, code, message, details);
}
