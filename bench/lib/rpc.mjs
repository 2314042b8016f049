// RPC of the bench plugin against the same schemas and handlers in Fastify.
import assert from "node:assert/strict";

import { contract, handlers } from "../plugin/task.mjs";
import { load } from "./load.mjs";
import { benchPlugin } from "./paths.mjs";
import { withPeer, withSvcd } from "./processes.mjs";
import { inTurns } from "./turns.mjs";

/** Rounds, their seconds, and those before them. */
const kForms = { full: [5, 3, 3], quick: [2, 1, 1], guard: [3, 1, 1] };

const post = (url, body) => fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });

async function checkAnswer(url, method, given) {
  const response = await post(url, JSON.stringify(given));
  assert.deepEqual(
    await response.json(),
    { ok: true, result: handlers[method](contract[method].input.parse(given)) },
    `${url}: wrong answer`,
  );
  const refused = await post(url, "{}");
  assert.equal(refused.status, 400, `${url}: input that does not fit the schema was not refused`);
}

/** Calls `work(measure)` while both servers run; `measure({ method, given, connections })` resolves with the runs of both sides. */
export async function withRpcSides({ form, log }, work) {
  const [rounds, seconds, warmUp] = kForms[form];
  return withSvcd([benchPlugin], (ours) =>
    withPeer("fastify.mjs", (peer) =>
      work(async ({ method, given, connections }) => {
        const body = JSON.stringify(given);
        const side = ({ pid }, url) => ({ pid, url, measure: () => load({ url, body, connections, seconds }) });
        const sides = {
          ours: side(ours, `${ours.url}/api/v1/plugins/bench/rpc/${method}`),
          peer: side(peer, `${peer.url}/rpc/${method}`),
        };
        for (const { url } of Object.values(sides)) {
          await checkAnswer(url, method, given);
          await load({ url, body, connections, seconds: warmUp });
        }
        return inTurns(sides, { rounds, log, tell: ({ perSecond }) => `${Math.round(perSecond)} requests/s` });
      }),
    ),
  );
}
