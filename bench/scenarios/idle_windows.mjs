import { setTimeout as sleep } from "node:timers/promises";

import { usageOf } from "../lib/meter.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { result } from "../lib/stats.mjs";
import { withWindowPrograms, withWindows } from "../lib/windows.mjs";

export const name = "idle_windows";
export const summary = "10,000 windows to which nothing is sent: memory of each and the processor, against ws";

const kSettleMs = 2000;

/** KiB of a window and per cent of a core for all of them. */
async function measure(program, { url, pid }, { count, seconds }) {
  const before = usageOf(pid);
  return withWindows(program, { url, count }, async () => {
    await sleep(kSettleMs);
    const open = usageOf(pid);
    await sleep(seconds * 1000);
    const after = usageOf(pid);
    return { kib: ((after.rssMiB - before.rssMiB) * 1024) / count, cpu: (after.cpuMs - open.cpuMs) / (seconds * 10) };
  });
}

export async function run({ quick, log }) {
  // Every window is asked once in 25 s whether it is still there.
  const load = quick ? { count: 2000, seconds: 5 } : { count: 10_000, seconds: 30 };
  return withWindowPrograms(async ({ windows }) => {
    const ours = await withSvcd([], (server) => measure(windows, server, load));
    const peer = await withPeer("fanout.mjs", (server) => measure(windows, server, load));
    log(`${ours.kib.toFixed(1)} and ${peer.kib.toFixed(1)} KiB, ${ours.cpu.toFixed(2)} and ${peer.cpu.toFixed(2)} % of a core`);
    const row = (suffix, member, unit, value) =>
      result({
        scenario: `${name}.${suffix}`,
        unit,
        better: "lower",
        ours: ours[member],
        peer: peer[member] || null,
        peerName: "ws",
        bar: { value },
      });
    return [row("memory", "kib", "KiB a window", 4), row("cpu", "cpu", "% of a core", 0.05)];
  });
}
