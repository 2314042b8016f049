import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { post } from "../lib/api.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";

export const name = "host_rpc";
export const summary = "calls of a host entry on loopback, from the server entry through daemon and worker, against ws and worker_threads";

const hostBenchPlugin = fileURLToPath(new URL("../host_plugin", import.meta.url));
const kInFlight = 64;
const kForms = { full: [5, 3, 3], quick: [2, 1, 1], guard: [3, 0.5, 0.5] };
const kConnectMs = 30_000;

/** Id of the server's own machine, when its daemon is connected. */
async function connectedHost(url) {
  for (const end = Date.now() + kConnectMs; Date.now() < end; await sleep(100)) {
    const { hosts } = await (await fetch(`${url}/api/v1/hosts`)).json();
    const own = hosts?.find(({ role, status }) => role === "server" && status === "connected");
    if (own !== undefined) {
      return own.id;
    }
  }
  throw new Error(`the server's own machine did not connect within ${kConnectMs} ms; is svc-hostd built?`);
}

export async function run({ form, log }) {
  const [rounds, seconds, warmUp] = kForms[form];
  return withSvcd([hostBenchPlugin], async (ours) => {
    const hostId = await connectedHost(ours.url);
    return withPeer("host_rpc.mjs", async (peer) => {
      const servers = {
        ours: { pid: ours.pid, ask: (how) => post(`${ours.url}/api/v1/plugins/bench-host/rpc/measure`, { hostId, ...how }) },
        peer: { pid: peer.pid, ask: (how) => post(peer.url, how) },
      };
      const measure = (inFlight) =>
        inTurns(
          Object.fromEntries(
            Object.entries(servers).map(([side, { pid, ask }]) => [side, { pid, measure: () => ask({ seconds, inFlight }) }]),
          ),
          { rounds, log, tell: ({ perSecond, p50Ms }) => `${Math.round(perSecond)} calls/s, ${p50Ms.toFixed(3)} ms` },
        );
      for (const { ask } of Object.values(servers)) {
        await ask({ seconds: warmUp, inFlight: kInFlight });
      }
      const many = await measure(kInFlight);
      const row = (suffix, sides, rest) => line(sides, { scenario: `${name}${suffix}`, peerName: "ws + worker_threads", ...rest });
      const rows = [
        row("", many, { member: "perSecond", unit: "calls/s", better: "higher" }),
        row(".cpu", many, { member: "cpuUs", unit: "µs of the processor", better: "lower" }),
      ];
      if (form === "guard") {
        return rows;
      }
      const single = await measure(1);
      return [
        ...rows,
        row(".p50", single, { member: "p50Ms", unit: "ms", better: "lower" }),
        row(".p99", single, { member: "p99Ms", unit: "ms", better: "lower" }),
      ];
    });
  });
}
