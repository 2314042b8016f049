import { setTimeout as sleep } from "node:timers/promises";

import { usageOf } from "../lib/meter.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";

export const name = "idle_memory";
export const summary = "resident memory of the server without plugins, against a Fastify 5 that serves two routes";

/** Start-up work that goes on behind the ready line belongs to the idle state. */
const kSettleMs = 1000;

async function measure({ pid }) {
  await sleep(kSettleMs);
  const { rssMiB, cpuMs } = usageOf(pid);
  return { rssMiB, cpuUs: cpuMs * 1000 };
}

export async function run({ form, log }) {
  const sides = { ours: { runs: [] }, peer: { runs: [] } };
  for (let round = 1; round <= (form === "full" ? 5 : 1); ++round) {
    sides.ours.runs.push(await withSvcd([], measure));
    sides.peer.runs.push(await withPeer("fastify.mjs", measure));
    log(`round ${round}: ${[sides.ours, sides.peer].map(({ runs }) => `${runs.at(-1).rssMiB.toFixed(1)} MiB`).join(" and ")}`);
  }
  return [line(sides, { scenario: name, member: "rssMiB", unit: "MiB", better: "lower", peerName: "Fastify 5 + zod" })];
}
