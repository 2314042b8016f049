import assert from "node:assert/strict";

import { load } from "../lib/load.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";
import { create, input, sample } from "../plugin/task.mjs";

export const name = "rpc_throughput";
export const summary = "RPC through a plugin with zod schemas, 64 keep-alive connections, against Fastify 5";

const kConnections = 64;

async function checkAnswer(url, body) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.deepEqual(await response.json(), { ok: true, result: create(input.parse(sample)) }, `${url}: wrong answer`);
  const refused = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  assert.equal(refused.status, 400, `${url}: input that does not fit the schema was not refused`);
}

export async function run({ quick, log }) {
  const body = JSON.stringify(sample);
  const [rounds, seconds, warmUp] = quick ? [2, 1, 1] : [5, 3, 3];

  return withSvcd([benchPlugin], (ours) =>
    withPeer("fastify.mjs", async (peer) => {
      const sides = {
        ours: { url: `${ours.url}/api/v1/plugins/bench/rpc/create`, runs: [] },
        peer: { url: `${peer.url}/rpc/create`, runs: [] },
      };
      for (const { url } of Object.values(sides)) {
        await checkAnswer(url, body);
        await load({ url, body, connections: kConnections, seconds: warmUp });
      }
      for (let round = 1; round <= rounds; ++round) {
        for (const side of Object.values(sides)) {
          side.runs.push(await load({ url: side.url, body, connections: kConnections, seconds }));
        }
        const [a, b] = Object.values(sides).map((side) => Math.round(side.runs.at(-1).perSecond));
        log(`round ${round}: ${a} and ${b} requests/s`);
      }
      const of = (side, member) => median(side.runs.map((one) => one[member]));
      const line = (suffix, member, unit, better) =>
        result({
          scenario: `${name}${suffix}`,
          unit,
          better,
          ours: of(sides.ours, member),
          peer: of(sides.peer, member),
          peerName: "Fastify 5 + zod",
        });
      return [line("", "perSecond", "requests/s", "higher"), line(".p50", "p50Ms", "ms", "lower"), line(".p99", "p99Ms", "ms", "lower")];
    }),
  );
}
