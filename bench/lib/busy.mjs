// Whether others use the machine: then what takes wall time says little, and the processor's time of a process much the same.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const kSampleMs = 1000;
/** Above this share of all cores the sides of a comparison hardly get the same. */
const kMostShare = 0.25;

/** Ticks of all cores so far: those that had work, and all. */
export function ticksOf(stat) {
  const [, ...fields] = /^cpu +(.*)$/m.exec(stat)[0].split(/ +/);
  // user nice system idle iowait irq softirq steal; guests count as user
  const ticks = fields.slice(0, 8).map(Number);
  const total = ticks.reduce((sum, one) => sum + one, 0);
  return { busy: total - ticks[3] - ticks[4], total };
}

/** The share of the processor that was taken between two samples. */
export const shareBetween = (before, after) => (after.busy - before.busy) / Math.max(1, after.total - before.total);

/** Whether the machine is busy while we do nothing, for a second. */
export async function isBusy() {
  const sample = () => ticksOf(readFileSync("/proc/stat", "utf8"));
  const before = sample();
  await sleep(kSampleMs);
  return shareBetween(before, sample()) > kMostShare;
}
