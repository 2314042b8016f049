import { formatRelative, formatTime } from "@/lib/format";
import { createStore, useStore } from "@/lib/store";

/** How often relative times are written anew, in milliseconds. */
const kTick = 10_000;

/** One clock for all relative times on the page; it stands still while there is none. */
const clock = createStore(Date.now(), {
  whileFollowed() {
    clock.set(Date.now());
    const timer = setInterval(() => clock.set(Date.now()), kTick);
    return () => clearInterval(timer);
  },
});

/** `4 minutes ago`, `in 2 hours`; the full time is its title. `at` in epoch milliseconds. */
export function TimeAgo({ at }: { at: number }) {
  const reference = useStore(clock);
  // A time that came in after the last tick is not in the future.
  const shown = at > reference && at <= Date.now() ? at : reference;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatTime(at)}>
      {formatRelative(at, shown)}
    </time>
  );
}
