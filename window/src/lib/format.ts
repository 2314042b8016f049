/** Numbers and times as people read them. */

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** `1536` → `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1024 && unit < kUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${kUnits[unit]}`;
}

/** A duration in milliseconds: `820 µs`, `12.3 ms`, `4.1 s`, `3 min`. */
export function formatDuration(ms: number): string {
  if (ms === 0) {
    return "0 ms";
  }
  if (ms < 1) {
    return `${Math.max(1, Math.round(ms * 1000))} µs`;
  }
  if (ms < 1000) {
    return `${ms < 100 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  }
  if (ms < 60_000) {
    return `${Number((ms / 1000).toFixed(1))} s`;
  }
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Number((ms / 3_600_000).toFixed(1))} h`;
}

const kSteps: readonly [limitSeconds: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [30 * 86_400, 86_400, "day"],
  [365 * 86_400, 30 * 86_400, "month"],
  [Number.POSITIVE_INFINITY, 365 * 86_400, "year"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `in 4 minutes`, `2 hours ago`. Both in epoch milliseconds. */
export function formatRelative(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const [, size, unit] = kSteps.find(([limit]) => Math.abs(seconds) < limit) ?? kSteps[kSteps.length - 1]!;
  return relative.format(Math.round(seconds / size), unit);
}

/** Date and time in the reader's locale and time zone. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** `1 entry`, `3 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
