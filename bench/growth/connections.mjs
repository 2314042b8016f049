import { load } from "../lib/load.mjs";
import { metered, residentMiB } from "../lib/meter.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { sample } from "../plugin/task.mjs";

export const summary = "RPC at full speed over more and more keep-alive connections";
export const steps = [8, 64, 512, 2000, 10_000];
export const quick = [8, 512];
export const metrics = {
  cpuUs: { unit: "us of the processor for a call", most: 3 },
  p99UsEach: { unit: "us (p99) for each connection that waits", most: 1.5 },
  kibEach: { unit: "KiB of memory for each connection", most: 1.5 },
};

export async function run(counts, log) {
  return withSvcd([benchPlugin], async (server) => {
    const url = `${server.url}/api/v1/plugins/bench/rpc/create`;
    const body = JSON.stringify(sample);
    await load({ url, body, connections: 8, seconds: 2 });
    const before = residentMiB(server.pid);
    const points = [];
    for (const count of counts) {
      const { operations, p99Ms, cpuMs, rssMiB } = await metered(server.pid, () => load({ url, body, connections: count, seconds: 4 }));
      points.push({
        at: count,
        cpuUs: (cpuMs * 1000) / operations,
        p99UsEach: (p99Ms * 1000) / count,
        kibEach: ((rssMiB - before) * 1024) / count,
      });
      log(`${count} connections: p99 ${p99Ms} ms`);
    }
    return points;
  });
}
