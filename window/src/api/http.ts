import { url } from "@/lib/address";
import { ApiError, type ApiIssue } from "@/lib/api_error";
import { sendFollowed } from "./followed_request";

/** Milliseconds until a read is given up. */
const kReadTimeoutMs = 30_000;
/** Milliseconds until a change is given up: a reload may wait for the old generation to end. */
const kChangeTimeoutMs = 90_000;

export type Query = Record<string, string | number | boolean | undefined>;

export interface ApiOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, with its own type. */
  bytes?: Blob;
  /** Members that are undefined are left out. */
  query?: Query;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Milliseconds; 0 waits for ever. Default 30 s for reads, 90 s for changes. */
  timeoutMs?: number;
  /** Told of each line of JSON that the answer has before its envelope. */
  onLine?: (line: Record<string, unknown>) => void;
  /** Told how much of `bytes` is on its way, from 0 to 1. */
  onProgress?: (part: number) => void;
}

/**
 * Calls a route below `/api/v1` and returns the members of its envelope without `ok`.
 *
 * @throws ApiError when it fails; an `AbortError` when `signal` aborts.
 */
export async function api<T>(method: string, path: string, options: ApiOptions = {}): Promise<T> {
  const { body, bytes, query = {}, signal, headers = {}, onProgress, onLine } = options;
  const { timeoutMs = method === "GET" ? kReadTimeoutMs : kChangeTimeoutMs } = options;
  const target = new URL(url(`/api/v1${path}`));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      target.searchParams.set(name, String(value));
    }
  }
  const init: RequestInit = { method, headers: { accept: "application/json", ...headers } };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json", ...init.headers };
  }
  if (bytes !== undefined) {
    init.body = bytes;
    init.headers = { "content-type": bytes.type || "application/octet-stream", ...init.headers };
  }
  return bounded(signal, timeoutMs, async (limit) =>
    readEnvelope<T>(
      await (onProgress === undefined ? fetch(target, { ...init, signal: limit }) : sendFollowed(target, init, onProgress, limit)),
      onLine,
    ),
  );
}

/** Runs `request` until the caller aborts or the time is over, and says which of them it was. */
async function bounded<T>(given: AbortSignal | undefined, timeoutMs: number, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let isLate = false;
  const onAbort = () => controller.abort(given?.reason);
  const timer =
    timeoutMs > 0
      ? setTimeout(() => {
          isLate = true;
          controller.abort();
        }, timeoutMs)
      : undefined;
  given?.addEventListener("abort", onAbort, { once: true });
  try {
    given?.throwIfAborted();
    return await request(controller.signal);
  } catch (failure) {
    if (failure instanceof ApiError) {
      throw failure;
    }
    given?.throwIfAborted();
    if (isLate) {
      throw new ApiError(`The service did not answer within ${Math.round(timeoutMs / 1000)} s.`, { code: "timeout", status: 0 });
    }
    throw new ApiError("The service cannot be reached. Check that it is running.", {
      code: "network_error",
      status: 0,
      cause: failure,
    });
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", onAbort);
  }
}

interface FailureBody {
  code?: unknown;
  message?: unknown;
  issues?: unknown;
  details?: unknown;
}

/** The envelope, after `onLine` has been told of those before it, as they come. */
async function lastLine(response: Response, onLine: NonNullable<ApiOptions["onLine"]>): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const part = await reader?.read();
    if (part?.value === undefined) {
      return rest;
    }
    const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const value = parseObject(line);
      if (value?.ok !== undefined) {
        return line;
      }
      if (value !== undefined) {
        onLine(value);
      }
    }
  }
}

async function readEnvelope<T>(response: Response, onLine: ApiOptions["onLine"]): Promise<T> {
  const requestId = response.headers.get("x-request-id") ?? "";
  const text = await (onLine === undefined ? response.text() : lastLine(response, onLine));
  const envelope = parseObject(text);
  if (envelope?.ok === true) {
    const { ok: _ok, ...members } = envelope;
    return members as T;
  }
  const { code, message, issues, details } = (envelope?.error ?? {}) as FailureBody;
  if (envelope?.ok !== false || typeof code !== "string" || typeof message !== "string") {
    throw new ApiError(`The service answered with HTTP status ${response.status} and no usable body.`, {
      code: "invalid_answer",
      status: response.status,
      requestId,
    });
  }
  throw new ApiError(message, {
    code,
    status: response.status,
    requestId,
    issues: Array.isArray(issues) ? (issues as ApiIssue[]) : undefined,
    details,
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
