import type { PluginUsage } from "#sdk/record.js";

/** How often the charts ask, in milliseconds, while the page is visible. */
export const kUsageInterval = 2000;
/** How many samples a chart shows: two minutes. */
export const kUsageSamples = 60;

/** One point of the charts. Rates are per second since the point before. */
export interface UsageSample {
  /** Epoch milliseconds. */
  at: number;
  cpuPercent: number;
  heapBytes: number;
  loopDelayP99Ms: number;
  callsPerSecond: number;
  errorsPerSecond: number;
}

/** Samples of one plugin, oldest first, with the totals that the next rate starts from. */
export interface UsageHistory {
  readonly samples: readonly UsageSample[];
  readonly last: { at: number; calls: number; errors: number } | null;
}

export const kNoUsage: UsageHistory = { samples: [], last: null };

/** A rate; totals that went back (the server restarted) begin anew. */
function rate(now: number, before: number, seconds: number): number {
  return now >= before && seconds > 0 ? (now - before) / seconds : 0;
}

/** The history with one more reading; the oldest sample leaves when there are `kUsageSamples`. */
export function addUsage(history: UsageHistory, usage: PluginUsage, at: number): UsageHistory {
  const { last } = history;
  const seconds = last === null ? 0 : (at - last.at) / 1000;
  const sample: UsageSample = {
    at,
    cpuPercent: usage.cpuPercent,
    heapBytes: usage.heapBytes,
    loopDelayP99Ms: usage.loopDelayP99Ms,
    callsPerSecond: last === null ? 0 : rate(usage.calls, last.calls, seconds),
    errorsPerSecond: last === null ? 0 : rate(usage.errors, last.errors, seconds),
  };
  return {
    samples: [...history.samples, sample].slice(-kUsageSamples),
    last: { at, calls: usage.calls, errors: usage.errors },
  };
}
