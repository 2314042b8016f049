import { withRpcSides } from "../lib/rpc.mjs";
import { line } from "../lib/stats.mjs";
import { sample } from "../plugin/task.mjs";

export const name = "rpc_sizes";
export const summary = "RPC on 1,000 connections, and with texts of 4 and 64 KiB in both directions, against Fastify 5";

const peerName = "Fastify 5 + zod";
const note = (bytes) => ({ title: "minutes", text: "x".repeat(bytes) });

const kCases = [
  { scenario: "rpc_1000_connections", method: "create", given: sample, connections: 1000 },
  { scenario: "rpc_4_kib", method: "note", given: note(4096), connections: 64 },
  { scenario: "rpc_64_kib", method: "note", given: note(65_536), connections: 64 },
];

export async function run(how) {
  return withRpcSides(how, async (measure) => {
    const rows = [];
    for (const { scenario, ...load } of kCases) {
      how.log(scenario);
      const sides = await measure(load);
      const row = (suffix, rest) => line(sides, { scenario: `${scenario}${suffix}`, peerName, ...rest });
      rows.push(
        row("", { member: "perSecond", unit: "requests/s", better: "higher" }),
        row(".p99", { member: "p99Ms", unit: "ms", better: "lower" }),
        row(".memory", { member: "rssMiB", unit: "MiB", better: "lower" }),
      );
    }
    return rows;
  });
}
