import type { PluginRpcCallOptions, PluginRpcError } from "../app/rpc_client.js";
import { jsonTextOf } from "../json_problem.js";
import { kRpcTimeoutMs } from "./limits.js";

/** What came back from `POST …/rpc/<method>`. */
export interface RpcReply {
  status: number;
  /** `x-request-id`; empty when there is none. */
  requestId: string;
  /** The body as text, an envelope when all is well. */
  body: string;
}

export interface RpcRequest {
  method: string;
  /** JSON text. */
  body: string;
  /** Aborts when the caller gives up and when the time is over. */
  signal: AbortSignal;
}

/** A timer of more milliseconds fires at once. */
const kLongestTimerMs = 2 ** 31 - 1;

export type RpcCall = (method: string, input?: unknown, options?: PluginRpcCallOptions) => Promise<unknown>;

/** `useRpc().call` over a way to send a request: the checks, the time limit and the errors are the same everywhere. */
export function createRpcCall(send: (request: RpcRequest) => Promise<RpcReply>): RpcCall {
  return async (method, input, options = {}) => {
    const value = input === undefined ? null : input;
    const json = jsonTextOf(value, "$input");
    if (json.problem !== undefined) {
      throw rpcError(`${method}: ${json.problem}`, { code: "invalid_input", status: 0, requestId: "" });
    }
    const reply = await bounded(method, options, (signal) => send({ method, body: json.text, signal }));
    return readReply(method, reply);
  };
}

async function bounded(
  method: string,
  { signal: given, timeoutMs = kRpcTimeoutMs }: PluginRpcCallOptions,
  send: (signal: AbortSignal) => Promise<RpcReply>,
): Promise<RpcReply> {
  const controller = new AbortController();
  const { promise: ended, reject } = withResolvers();
  const end = (failure: Error) => {
    reject(failure);
    controller.abort(failure);
  };
  const onAbort = () => end(Object.assign(new Error(`${method}: the call was aborted`), { name: "AbortError" }));
  const timer = setTimeout(
    () => end(rpcError(`${method}: no answer within ${timeoutMs} ms`, { code: "timeout", status: 0, requestId: "" })),
    Math.min(timeoutMs, kLongestTimerMs),
  );
  given?.addEventListener("abort", onAbort, { once: true });
  if (given?.aborted === true) {
    onAbort();
  }
  try {
    return await Promise.race([ended, sent(method, send, controller.signal)]);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", onAbort);
  }
}

async function sent(method: string, send: (signal: AbortSignal) => Promise<RpcReply>, signal: AbortSignal): Promise<RpcReply> {
  if (signal.aborted) {
    throw signal.reason;
  }
  try {
    return await send(signal);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    throw rpcError(`${method}: the service was not reached: ${why}`, { code: "network_error", status: 0, requestId: "" }, failure);
  }
}

/** As `Promise.withResolvers`, which is not everywhere yet. */
function withResolvers(): { promise: Promise<never>; reject: (failure: Error) => void } {
  let reject: (failure: Error) => void = () => undefined;
  const promise = new Promise<never>((_resolve, refuse) => (reject = refuse));
  return { promise, reject };
}

interface Envelope {
  ok?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown; issues?: unknown; details?: unknown };
}

function readReply(method: string, { status, requestId, body }: RpcReply): unknown {
  const envelope = parse(body);
  if (envelope?.ok === true && "result" in envelope) {
    return envelope.result;
  }
  const { code, message, issues, details } = envelope?.error ?? {};
  if (envelope?.ok !== false || typeof code !== "string" || typeof message !== "string") {
    throw rpcError(`${method}: the service answered with HTTP status ${status} and no usable body`, {
      code: "invalid_answer",
      status,
      requestId,
    });
  }
  throw rpcError(message, {
    code,
    status,
    requestId,
    ...(Array.isArray(issues) ? { issues } : {}),
    ...(details !== undefined ? { details } : {}),
  });
}

function parse(body: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export function rpcError(message: string, fields: Record<string, unknown>, cause?: unknown): PluginRpcError {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name: "PluginRpcError" as const, ...fields }) as PluginRpcError;
}
