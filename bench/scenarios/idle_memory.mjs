import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

import { withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";

export const name = "idle_memory";
export const summary = "resident memory of the server without plugins";

async function residentMiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) / 1024;
}

export async function run({ quick }) {
  const samples = [];
  for (let round = 0; round < (quick ? 1 : 3); ++round) {
    await withSvcd([], async (server) => {
      // Start-up work that goes on behind the ready line belongs to the idle state.
      await setTimeout(1000);
      samples.push(await residentMiB(server.pid));
    });
  }
  return [result({ scenario: name, unit: "MiB", better: "lower", ours: median(samples) })];
}
