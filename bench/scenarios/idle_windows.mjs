import { setTimeout as sleep } from "node:timers/promises";

import { usageOf } from "../lib/meter.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { withPrograms } from "../lib/programs.mjs";
import { line } from "../lib/stats.mjs";
import { withWindows } from "../lib/windows.mjs";

export const name = "idle_windows";
export const summary = "10,000 windows to which nothing is sent: memory of each and the processor, against ws";

const kSettleMs = 2000;
// Every window is asked once in 25 s whether it is still there.
const kForms = { full: { count: 10_000, seconds: 30, rounds: 5 }, quick: { count: 2000, seconds: 5, rounds: 1 } };

/** KiB of a window and per cent of a core for all of them. */
async function measure(program, { url, pid }, { count, seconds }) {
  const before = usageOf(pid);
  return withWindows(program, { url, count }, async () => {
    await sleep(kSettleMs);
    const open = usageOf(pid);
    await sleep(seconds * 1000);
    const after = usageOf(pid);
    const rssMiB = after.rssMiB;
    return { rssMiB, kib: ((after.rssMiB - before.rssMiB) * 1024) / count, cpu: (after.cpuMs - open.cpuMs) / (seconds * 10) };
  });
}

export async function run({ form, log }) {
  const { rounds, ...load } = kForms[form];
  const sides = { ours: { runs: [] }, peer: { runs: [] } };
  return withPrograms({ windows: "lib/windows.c" }, async ({ windows }) => {
    // A server that has had windows keeps some of their memory, so each round has a new one.
    for (let round = 1; round <= rounds; ++round) {
      sides.ours.runs.push(await withSvcd([], (server) => measure(windows, server, load)));
      sides.peer.runs.push(await withPeer("fanout.mjs", (server) => measure(windows, server, load)));
      const [ours, peer] = Object.values(sides).map(({ runs }) => runs.at(-1));
      log(
        `round ${round}: ${ours.kib.toFixed(1)} and ${peer.kib.toFixed(1)} KiB, ${ours.cpu.toFixed(2)} and ${peer.cpu.toFixed(2)} % of a core`,
      );
    }
    const row = (suffix, member, unit) => line(sides, { scenario: `${name}.${suffix}`, member, unit, better: "lower", peerName: "ws" });
    return [row("memory", "kib", "KiB a window"), row("cpu", "cpu", "% of a core")];
  });
}
