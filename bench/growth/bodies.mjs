import { load } from "../lib/load.mjs";
import { metered } from "../lib/meter.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";

export const summary = "RPC with longer and longer texts in the question and the answer";
export const steps = [100, 1024, 16_384, 262_144, 2_097_152, 7_340_032];
export const quick = [100, 16_384];
export const metrics = {
  cpuNsEach: { unit: "ns of the processor for each byte", most: 1.5 },
  aboveEach: { unit: "bytes of memory for each byte in flight", most: 1.5 },
};

const kInFlight = 8;

export async function run(sizes, log) {
  return withSvcd([benchPlugin], async (server) => {
    const url = `${server.url}/api/v1/plugins/bench/rpc/note`;
    const points = [];
    for (const size of sizes) {
      const body = JSON.stringify({ title: "minutes", text: "x".repeat(size) });
      const before = await metered(server.pid, () => load({ url, body, connections: kInFlight, seconds: 1 }));
      const { operations, perSecond, cpuMs, rssMiB } = await metered(server.pid, () =>
        load({ url, body, connections: kInFlight, seconds: 3 }),
      );
      const above = Math.max(0, Math.max(rssMiB, before.rssMiB) - (points[0]?.rssMiB ?? rssMiB)) * 1024 * 1024;
      points.push({ at: size, cpuNsEach: (cpuMs * 1e6) / operations / size, aboveEach: above / size / kInFlight, rssMiB });
      log(`${size} bytes: ${Math.round(perSecond)} calls/s, ${Math.round(rssMiB)} MiB`);
    }
    return points;
  });
}
