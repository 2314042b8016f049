import type { ExperimentalHostWatchListener, HostWatchEvent, HostWatchOptions } from "../host/definition.js";

// Rules of `experimental_watch`, for the worker and for the harness that stands in for it in tests.

const kMember = "experimental_watch";

/** `L:watch-count`, per worker. */
export const kWatchCountMax = 256;
/** `L:watch-batch`: paths and bytes of JSON in one `changed` event. */
export const kWatchBatchPaths = 4096;
export const kWatchBatchBytes = 1024 * 1024;
/** `L:watch-paths`: bytes of a path, entries of `ignoredPaths`. */
export const kWatchPathBytes = 16 * 1024;
export const kWatchIgnoredMax = 4096;
/** `L:watch-time`, in milliseconds. */
export const kWatchDebounce = { least: 10, most: 5_000, usual: 75 };
export const kWatchMaxWait = { most: 30_000, usual: 500 };

export type CheckedWatchOptions = Required<HostWatchOptions>;

function fail(what: string): never {
  throw new TypeError(`${kMember}: ${what}`);
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function checkPath(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") {
    fail(`${what} must be a non-empty string`);
  }
  if (value.includes("\0")) {
    fail(`${what} holds a NUL character`);
  }
  const bytes = value.length > kWatchPathBytes / 3 ? bytesOf(value) : value.length;
  if (bytes > kWatchPathBytes) {
    fail(`${what} has ${bytes} bytes, more than the ${kWatchPathBytes} of the limit watch-paths`);
  }
  return value;
}

function checkMs(value: unknown, what: string, { least, most, usual }: typeof kWatchDebounce): number {
  if (value === undefined) {
    return usual;
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
    fail(`${what} must be an integer from ${least} to ${most} (limit watch-time), is ${String(value)}`);
  }
  return value;
}

/** The options with their defaults. Throws a TypeError that names what is wrong. */
export function checkWatchOptions(options: unknown): CheckedWatchOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    fail("the options must be an object { rootPath }");
  }
  const { rootPath, ignoredPaths = [], debounceMs, maxWaitMs } = options as { [name in keyof HostWatchOptions]?: unknown };
  const root = checkPath(rootPath, "rootPath");
  if (!root.startsWith("/")) {
    fail(`rootPath must be an absolute path, is "${root}"`);
  }
  if (!Array.isArray(ignoredPaths)) {
    fail("ignoredPaths must be an array of paths");
  }
  if (ignoredPaths.length > kWatchIgnoredMax) {
    fail(`ignoredPaths has ${ignoredPaths.length} entries, more than the ${kWatchIgnoredMax} of the limit watch-paths`);
  }
  const debounce = checkMs(debounceMs, "debounceMs", kWatchDebounce);
  return {
    rootPath: root,
    ignoredPaths: ignoredPaths.map((path: unknown, index) => checkPath(path, `ignoredPaths[${index}]`)),
    debounceMs: debounce,
    maxWaitMs: checkMs(maxWaitMs, "maxWaitMs", {
      least: debounce,
      most: kWatchMaxWait.most,
      usual: Math.max(kWatchMaxWait.usual, debounce),
    }),
  };
}

export function checkWatchListener(on: unknown): ExperimentalHostWatchListener {
  if (typeof on !== "function") {
    fail("the listener must be a function");
  }
  return on as ExperimentalHostWatchListener;
}

/** An event that has one of its two names. */
export type UnnamedWatchEvent = HostWatchEvent extends infer Event
  ? Event extends HostWatchEvent
    ? Omit<Event, "kind" | "type"> & ({ kind: Event["kind"]; type?: Event["kind"] } | { type: Event["kind"]; kind?: Event["kind"] })
    : never
  : never;

/** The event with both of its names. */
export function watchEvent(event: UnnamedWatchEvent): HostWatchEvent {
  const kind = event.kind ?? event.type;
  return { ...event, kind, type: kind } as HostWatchEvent;
}

/** Throws when a worker that has `count` watches may have no further one. */
export function checkWatchCount(count: number): void {
  if (count >= kWatchCountMax) {
    throw new Error(`${kMember}: the worker has ${count} watches, the most that the limit watch-count allows; dispose of one first`);
  }
}

/** The event, or what takes its place when it is larger than a batch may be. */
export function withinBatch(event: HostWatchEvent): HostWatchEvent {
  if (event.type !== "changed") {
    return event;
  }
  const fits = event.changes.length <= kWatchBatchPaths && bytesOf(JSON.stringify(event)) <= kWatchBatchBytes;
  return fits ? event : watchEvent({ kind: "rescan-required" });
}
