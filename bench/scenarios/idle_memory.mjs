import { setTimeout } from "node:timers/promises";

import { residentMiB } from "../lib/meter.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";

export const name = "idle_memory";
export const summary = "resident memory of the server without plugins";

export async function run({ quick }) {
  const samples = [];
  for (let round = 0; round < (quick ? 1 : 3); ++round) {
    await withSvcd([], async (server) => {
      // Start-up work that goes on behind the ready line belongs to the idle state.
      await setTimeout(1000);
      samples.push(residentMiB(server.pid));
    });
  }
  return [result({ scenario: name, unit: "MiB", better: "lower", ours: median(samples) })];
}
