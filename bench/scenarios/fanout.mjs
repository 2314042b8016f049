import { calm } from "../lib/calm.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withPeer, withProgram, withSvcd } from "../lib/processes.mjs";
import { withPrograms } from "../lib/programs.mjs";
import { line } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";
import { withWindows } from "../lib/windows.mjs";

export const name = "fanout";
export const summary = "signals of 100 B to 1,000 and 5,000 windows against ws and against a bare loop; HTTP beside them";

const kText = "x".repeat(100);
/** Signals that are published in one turn of the event loop, as what a plugin says of a change often is. */
const kBurst = 16;
const kOurs = "/api/v1/plugins/bench/rpc/publish";
const kCounts = [1000, 5000];
const kPeers = { peer: "ws", limit: "a bare loop that only writes" };
const kForms = {
  full: { counts: kCounts, rounds: 5, seconds: 3 },
  quick: { counts: kCounts, rounds: 2, seconds: 1 },
  guard: { counts: [1000], rounds: 3, seconds: 0.7 },
};

/** Runs `work(servers)` with the server, its peer and, if wanted, the bare loop. */
async function withServers(limit, work) {
  return withSvcd([benchPlugin], (ours) =>
    withPeer("fanout.mjs", (peer) => {
      const sides = { ours: { ...ours, path: kOurs }, peer: { ...peer, path: "/publish" } };
      return limit === null ? work(sides) : withProgram(limit, (bare) => work({ ...sides, limit: { ...bare, path: "/publish" } }));
    }),
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
  const row = (suffix, other, rest) =>
    line({ ours: sides.ours, peer: sides[other] }, { scenario: `${name}_${count}${suffix}`, peerName: kPeers[other], ...rest });
  const rate = { member: "perSecond", unit: "deliveries/s", better: "higher" };
  const rows = [row("", "peer", rate), row(".cpu", "peer", { member: "cpuUs", unit: "µs of the processor", better: "lower" })];
  if (sides.limit === undefined) {
    return rows;
  }
  const bursts = await measure(kBurst);
  return [
    ...rows,
    row(".limit", "limit", rate),
    line(bursts, { scenario: `${name}_${count}.burst`, peerName: kPeers.peer, ...rate }),
    row(".p99", "peer", { member: "p99Ms", unit: "ms to the last window", better: "lower" }),
  ];
}

/** How many times the 99th percentile of an HTTP call is what it is on a calm server, while the fan-out runs. */
async function besideHttp(count, servers, signals, { rounds, seconds, log }) {
  const measure = (side) => async () => {
    const url = `${servers[side].url}/healthz`;
    const alone = await calm(url, seconds);
    const [beside] = await Promise.all([calm(url, seconds * 0.8), signals[side](seconds)]);
    return { times: beside.p99Ms / alone.p99Ms, calmMs: alone.p99Ms, besideMs: beside.p99Ms };
  };
  const sides = Object.fromEntries(["ours", "peer"].map((side) => [side, { pid: servers[side].pid, measure: measure(side) }]));
  const tell = ({ calmMs, besideMs }) => `p99 ${calmMs.toFixed(2)} ms calm, ${besideMs.toFixed(2)} ms beside the fan-out`;
  await inTurns(sides, { rounds, log, tell });
  const unit = "times the calm p99";
  return line(sides, { scenario: `${name}_${count}.http`, member: "times", unit, better: "lower", peerName: kPeers.peer });
}

export async function run({ form, log }) {
  const { counts, ...how } = { ...kForms[form], log };
  return withPrograms({ windows: "lib/windows.c", limit: "peers/fanout_limit.c" }, ({ windows, limit }) =>
    withServers(form === "guard" ? null : limit, async (servers) => {
      const rows = [];
      for (const count of counts) {
        log(`${count} windows`);
        await withAllWindows(windows, servers, count, async (signals) => {
          for (const signal of Object.values(signals)) {
            await signal(Math.min(1, how.seconds));
          }
          rows.push(...(await throughput(count, servers, signals, how)));
          if (form !== "guard") {
            rows.push(await besideHttp(count, servers, signals, how));
          }
        });
      }
      return rows;
    }),
  );
}
