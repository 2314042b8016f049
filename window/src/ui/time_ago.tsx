import { useSyncExternalStore } from "react";

import { formatRelative, formatTime } from "@/lib/format";

/** How often relative times are written anew, in milliseconds. */
const kTick = 10_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One clock for all relative times on the page; it stands still while there is none. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      listeners.forEach((each) => each());
    }, kTick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** `4 minutes ago`, `in 2 hours`; the full time is its title. `at` in epoch milliseconds. */
export function TimeAgo({ at }: { at: number }) {
  const reference = useSyncExternalStore(subscribe, () => now);
  // A time that came in after the last tick is not in the future.
  const shown = at > reference && at <= Date.now() ? at : reference;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatTime(at)}>
      {formatRelative(at, shown)}
    </time>
  );
}
