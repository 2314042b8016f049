import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { withPeer, withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";

export const name = "host_rpc";
export const summary = "calls of a host entry on loopback, from the server entry through daemon and worker, against ws and worker_threads";

const hostBenchPlugin = fileURLToPath(new URL("../host_plugin", import.meta.url));
const kInFlight = 64;
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

async function post(url, body) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const { ok, result: measured, error } = await response.json();
  if (ok !== true) {
    throw new Error(`${url}: ${error?.code}: ${error?.message}`);
  }
  return measured;
}

export async function run({ quick, log }) {
  const [rounds, seconds, warmUp] = quick ? [2, 1, 1] : [5, 3, 3];

  return withSvcd([hostBenchPlugin], async (ours) => {
    const hostId = await connectedHost(ours.url);
    return withPeer("host_rpc.mjs", async (peer) => {
      const sides = {
        ours: { ask: (how) => post(`${ours.url}/api/v1/plugins/bench-host/rpc/measure`, { hostId, ...how }), many: [], single: [] },
        peer: { ask: (how) => post(peer.url, how), many: [], single: [] },
      };
      for (const { ask } of Object.values(sides)) {
        await ask({ seconds: warmUp, inFlight: kInFlight });
      }
      for (let round = 1; round <= rounds; ++round) {
        for (const side of Object.values(sides)) {
          side.many.push(await side.ask({ seconds, inFlight: kInFlight }));
          side.single.push(await side.ask({ seconds, inFlight: 1 }));
        }
        const [a, b] = Object.values(sides).map(
          ({ many, single }) => `${Math.round(many.at(-1).perSecond)} calls/s, ${single.at(-1).p50Ms.toFixed(3)} ms`,
        );
        log(`round ${round}: ${a}; peer ${b}`);
      }
      const of = (runs, member) => median(runs.map((one) => one[member]));
      const line = (suffix, how, member, unit, better) =>
        result({
          scenario: `${name}${suffix}`,
          unit,
          better,
          ours: of(sides.ours[how], member),
          peer: of(sides.peer[how], member),
          peerName: "ws + worker_threads",
        });
      return [
        line("", "many", "perSecond", "calls/s", "higher"),
        line(".p50", "single", "p50Ms", "ms", "lower"),
        line(".p99", "single", "p99Ms", "ms", "lower"),
      ];
    });
  });
}
