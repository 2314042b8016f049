import { useCallback, useSyncExternalStore } from "react";

import type { JsonValue } from "#sdk/json.js";

const kPrefix = "svc.";

interface Entry {
  raw: string | null;
  value: JsonValue | undefined;
  /** The browser did not take it: what is stored there is older. */
  isUnstored?: boolean;
}

// What was read last, by key: a snapshot must be the same object until the stored text changes.
const entries = new Map<string, Entry>();
const listeners = new Map<string, Set<() => void>>();

function parse(raw: string | null): JsonValue | undefined {
  if (raw === null) {
    return undefined;
  }
  try {
    return JSON.parse(raw) as JsonValue;
  } catch {
    return undefined;
  }
}

function read(key: string): JsonValue | undefined {
  const known = entries.get(key);
  if (known?.isUnstored === true) {
    return known.value;
  }
  let raw: string | null;
  try {
    raw = localStorage.getItem(kPrefix + key);
  } catch {
    return known?.value; // Blocked by the browser: preferences last as long as the window.
  }
  if (known !== undefined && known.raw === raw) {
    return known.value;
  }
  const value = parse(raw);
  entries.set(key, { raw, value });
  return value;
}

/** Another window changed it, or nothing says who did: what is stored counts. */
function changedOutside(key: string): void {
  entries.delete(key);
  tell(key);
}

function tell(key: string): void {
  for (const listener of [...(listeners.get(key) ?? [])]) {
    listener();
  }
}

if (typeof addEventListener === "function") {
  addEventListener("storage", (event) => {
    if (event.key === null) {
      for (const key of [...listeners.keys()]) {
        changedOutside(key);
      }
    } else if (event.key.startsWith(kPrefix)) {
      changedOutside(event.key.slice(kPrefix.length));
    }
  });
}

/** A preference of this browser. A stored value of another type than `fallback` counts as absent. */
export function readPreference<T extends JsonValue>(key: string, fallback: T): T {
  const value = read(key);
  return value !== undefined && isSameShape(value, fallback) ? (value as T) : fallback;
}

/** Undefined removes it. Kept in memory when the browser refuses to store it. */
export function writePreference(key: string, value: JsonValue | undefined): void {
  const raw = value === undefined ? null : JSON.stringify(value);
  let isUnstored = false;
  try {
    if (raw === null) {
      localStorage.removeItem(kPrefix + key);
    } else {
      localStorage.setItem(kPrefix + key, raw);
    }
  } catch {
    isUnstored = true; // Full or blocked: the value holds until the window closes.
  }
  entries.set(key, { raw, value, isUnstored });
  tell(key);
}

export function subscribePreference(key: string, listener: () => void): () => void {
  const set = listeners.get(key) ?? new Set();
  listeners.set(key, set.add(listener));
  return () => void set.delete(listener);
}

/** A preference kept in `localStorage["svc.<key>"]`, the same in all windows of this browser. `fallback` must be a constant. */
export function usePreference<T extends JsonValue>(key: string, fallback: T): [T, (next: T | undefined | ((current: T) => T)) => void] {
  const value = useSyncExternalStore(
    useCallback((listener: () => void) => subscribePreference(key, listener), [key]),
    () => readPreference(key, fallback),
    () => fallback,
  );
  const set = useCallback(
    (next: T | undefined | ((current: T) => T)) =>
      writePreference(key, typeof next === "function" ? next(readPreference(key, fallback)) : next),
    [key, fallback],
  );
  return [value, set];
}

function isSameShape(value: JsonValue, fallback: JsonValue): boolean {
  if (fallback === null) {
    return true;
  }
  return typeof value === typeof fallback && value !== null && Array.isArray(value) === Array.isArray(fallback);
}
