import { calm } from "../lib/calm.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withPeer, withProgram, withSvcd } from "../lib/processes.mjs";
import { line, median, result } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";
import { withWindowPrograms, withWindows } from "../lib/windows.mjs";

export const name = "fanout";
export const summary = "signals of 100 B to 1,000 and 5,000 windows against ws and against a bare loop; HTTP beside them";

const kText = "x".repeat(100);
/** Signals that are published in one turn of the event loop, as what a plugin says of a change often is. */
const kBurst = 16;
const kOurs = "/api/v1/plugins/bench/rpc/publish";
const kCounts = [1000, 5000];
const kPeers = { peer: "ws", limit: "a bare loop that only writes" };
const kBars = { peer: { ratio: 2.2 }, limit: { ratio: 0.9 } };

/** Runs `work(servers)` with the server, its peer and the bare loop. */
async function withServers({ limit }, work) {
  return withSvcd([benchPlugin], (ours) =>
    withPeer("fanout.mjs", (peer) =>
      withProgram(limit, (bare) =>
        work({ ours: { ...ours, path: kOurs }, peer: { ...peer, path: "/publish" }, limit: { ...bare, path: "/publish" } }),
      ),
    ),
  );
}

/** Runs `work(signals)` with so many windows at each server; `signals[side](seconds, burst)` sends. */
async function withAllWindows(program, servers, count, work, signals = {}) {
  const [next, ...rest] = Object.entries(servers);
  if (next === undefined) {
    return work(signals);
  }
  const [side, { url, path }] = next;
  return withWindows(program, { url, count }, (signal) =>
    withAllWindows(program, Object.fromEntries(rest), count, work, {
      ...signals,
      [side]: (seconds, burst = 1) => signal({ path, text: kText, burst, seconds }),
    }),
  );
}

async function throughput(count, servers, signals, { rounds, seconds, log }) {
  const measure = (burst) =>
    inTurns(
      Object.fromEntries(Object.entries(servers).map(([side, { pid }]) => [side, { pid, measure: () => signals[side](seconds, burst) }])),
      { rounds, log, tell: ({ perSecond }) => `${Math.round(perSecond)} deliveries/s` },
    );
  const sides = await measure(1);
  const bursts = await measure(kBurst);
  const row = (suffix, other, rest) =>
    line({ ours: sides.ours, peer: sides[other] }, { scenario: `${name}_${count}${suffix}`, peerName: kPeers[other], ...rest });
  const rate = { member: "perSecond", unit: "deliveries/s", better: "higher" };
  return [
    row("", "peer", { ...rate, bar: kBars.peer }),
    row(".limit", "limit", { ...rate, bar: kBars.limit }),
    line(bursts, { scenario: `${name}_${count}.burst`, peerName: kPeers.peer, ...rate, bar: kBars.peer }),
    row(".p99", "peer", { member: "p99Ms", unit: "ms to the last window", better: "lower" }),
  ];
}

/** How many times the 99th percentile of an HTTP call is what it is on a calm server, while the fan-out runs. */
async function besideHttp(count, servers, signals, { rounds, seconds, log }) {
  const times = { ours: [], peer: [] };
  for (let round = 1; round <= rounds; ++round) {
    for (const side of Object.keys(times)) {
      const url = `${servers[side].url}/healthz`;
      const alone = await calm(url, seconds);
      const [beside] = await Promise.all([calm(url, seconds * 0.8), signals[side](seconds)]);
      times[side].push(beside.p99Ms / alone.p99Ms);
      log(`round ${round}: ${side} ${alone.p99Ms.toFixed(2)} ms calm, ${beside.p99Ms.toFixed(2)} ms beside the fan-out (p99)`);
    }
  }
  const [ours, peer] = [median(times.ours), median(times.peer)];
  const unit = "times the calm p99";
  return result({ scenario: `${name}_${count}.http`, unit, better: "lower", ours, peer, peerName: kPeers.peer, bar: { value: 3 } });
}

export async function run({ quick, log }) {
  const how = { ...(quick ? { rounds: 2, seconds: 1 } : { rounds: 5, seconds: 3 }), log };
  return withWindowPrograms(({ windows, limit }) =>
    withServers({ limit }, async (servers) => {
      const rows = [];
      for (const count of kCounts) {
        log(`${count} windows`);
        await withAllWindows(windows, servers, count, async (signals) => {
          for (const signal of Object.values(signals)) {
            await signal(1);
          }
          rows.push(...(await throughput(count, servers, signals, how)), await besideHttp(count, servers, signals, how));
        });
      }
      return rows;
    }),
  );
}
