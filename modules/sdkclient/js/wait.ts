/** `threads.wait`: other methods of the same client, again and again until it is so. The window's client has it too. */
import { reasonOf } from "./reason";
import { numberOf } from "./request";
import type { CallMethod } from "./status";

type Members = Record<string, unknown>;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { setTimeout, clearTimeout, Promise, performance } = globalThis;
const { min } = Math;
const { stringify } = JSON;

const kPath = "threads.wait";
/** lim.waitDefault and lim.waitPoll, in milliseconds. */
const kWaitDefault = 20 * 60 * 1000;
const kWaitPoll = 250;
/** Longest look for an event; between two of them the thread is looked for. */
const kEventLook = 5000;

const kStatuses: readonly string[] = ["pending", "idle", "starting", "active", "stopping", "error"];

interface Waiting {
  threadId: string;
  signal: AbortSignal | undefined;
  /** Milliseconds that are left; none = the time is over. */
  left: () => number;
  pollMs: number;
  options: Members;
}

function failure(name: string, threadId: string, message: string): Error {
  return Object.assign(new Error(`svc.sdk.${kPath}: ${message}`), { name, threadId });
}

/** Throws a TypeError about the argument. */
export type Refuse = (why: string) => never;

function duration(refuse: Refuse, members: Members, name: string, fallback: number): number {
  const value = members[name] === undefined ? fallback : numberOf(members[name]);
  if (typeof value !== "number" || !(value >= 0)) {
    refuse(`${name} must be a number of milliseconds`);
  }
  return value as number;
}

export function checkCondition(refuse: Refuse, { status, event }: Members): void {
  if ((status === undefined) === (event === undefined)) {
    refuse('needs exactly one of "status" and "event"');
  }
  if (status !== undefined && !kStatuses.includes(status as string)) {
    refuse(`status must be one of ${kStatuses.join(", ")}, is ${stringify(status) ?? typeof status}`);
  }
}

/** `argument` has a thread. */
export async function waitForThread(
  refuse: Refuse,
  call: CallMethod,
  argument: Members,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { threadId, status, event } = argument as { threadId: string; status?: unknown; event?: unknown };
  checkCondition(refuse, argument);
  const timeoutMs = duration(refuse, argument, "timeoutMs", kWaitDefault);
  const end = performance.now() + timeoutMs;
  const waiting: Waiting = {
    threadId,
    signal,
    left: () => end - performance.now(),
    pollMs: duration(refuse, argument, "pollIntervalMs", kWaitPoll),
    options: signal === undefined ? {} : { signal },
  };
  const look = event === undefined ? () => lookForStatus(call, waiting, status) : () => lookForEvent(call, waiting, event);
  for (;;) {
    const found = await look().catch((error: Error & { status?: number }) => {
      throw error.status === 404 ? failure("ThreadWaitUnreachableError", threadId, `there is no thread "${threadId}" (any more)`) : error;
    });
    if (found !== null) {
      return { matched: true, threadId, ...found };
    }
    if (waiting.left() <= 0) {
      const what = event === undefined ? `the status "${String(status)}"` : `an event "${String(event)}"`;
      throw failure("ThreadWaitTimeoutError", threadId, `the thread had not ${what} within ${timeoutMs} ms`);
    }
    await pause(min(waiting.pollMs, waiting.left()), signal);
  }
}

async function lookForStatus(call: CallMethod, { threadId, options }: Waiting, status: unknown): Promise<Members | null> {
  const thread = (await call("threads.get", { threadId, ...options })) as Members;
  if (thread.status === status) {
    return { target: { kind: "status", status }, thread };
  }
  if (thread.status === "error" && ((await call("threads.queuedMessages.list", { threadId, ...options })) as unknown[]).length === 0) {
    throw failure(
      "ThreadWaitUnreachableError",
      threadId,
      `the last turn failed and no message waits, so the thread does not become "${String(status)}"`,
    );
  }
  return null;
}

async function lookForEvent(call: CallMethod, { threadId, left, options }: Waiting, type: unknown): Promise<Members | null> {
  const waitMs = Math.max(0, Math.floor(min(kEventLook, left())));
  const event = await call("threads.events.wait", { threadId, type, waitMs, ...options });
  return event === null ? null : { target: { kind: "event", eventType: type }, event };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal, kPath));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) {
      onAbort();
    }
  });
}
