import { withRpcSides } from "../lib/rpc.mjs";
import { line } from "../lib/stats.mjs";
import { sample } from "../plugin/task.mjs";

export const name = "rpc_throughput";
export const summary = "RPC through a plugin with zod schemas, 64 keep-alive connections, against Fastify 5";

const peerName = "Fastify 5 + zod";

export async function run(how) {
  return withRpcSides(how, async (measure) => {
    const sides = await measure({ method: "create", given: sample, connections: 64 });
    const row = (suffix, rest) => line(sides, { scenario: `${name}${suffix}`, peerName, ...rest });
    return [
      row("", { member: "perSecond", unit: "requests/s", better: "higher" }),
      row(".p50", { member: "p50Ms", unit: "ms", better: "lower" }),
      row(".p99", { member: "p99Ms", unit: "ms", better: "lower" }),
      row(".cpu", { member: "cpuUs", unit: "µs of the processor", better: "lower" }),
    ];
  });
}
