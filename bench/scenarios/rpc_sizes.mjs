import { withRpcSides } from "../lib/rpc.mjs";
import { line, result } from "../lib/stats.mjs";
import { sample } from "../plugin/task.mjs";

export const name = "rpc_sizes";
export const summary = "RPC on 1,000 connections, and with texts of 4 and 64 KiB in both directions, against Fastify 5";

const peerName = "Fastify 5 + zod";
const note = (bytes) => ({ title: "minutes", text: "x".repeat(bytes) });

const kCases = [
  { scenario: "rpc_1000_connections", method: "create", given: sample, connections: 1000, bar: { ratio: 2.5 } },
  { scenario: "rpc_4_kib", method: "note", given: note(4096), connections: 64, bar: { ratio: 2.2 } },
  { scenario: "rpc_64_kib", method: "note", given: note(65_536), connections: 64, bar: { ratio: 3 } },
];
/** The most memory that the server may take, to that of its peer. */
const kMemoryBar = { ratio: 0.67 };

export async function run(how) {
  return withRpcSides(how, async (measure) => {
    const rows = [];
    for (const { scenario, bar, ...load } of kCases) {
      how.log(scenario);
      const sides = await measure(load);
      const throughput = line(sides, { scenario, member: "perSecond", unit: "requests/s", better: "higher", peerName, bar });
      rows.push(
        throughput,
        line(sides, { scenario: `${scenario}.p99`, member: "p99Ms", unit: "ms", better: "lower", peerName }),
        result({
          scenario: `${scenario}.memory`,
          unit: "MiB",
          better: "lower",
          ours: throughput.use.ours.rssMiB,
          peer: throughput.use.peer.rssMiB,
          peerName,
          bar: kMemoryBar,
        }),
      );
    }
    return rows;
  });
}
