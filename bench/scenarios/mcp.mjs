import assert from "node:assert/strict";

import { load } from "../lib/load.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";
import { create, input, sample } from "../plugin/task.mjs";

export const name = "mcp";
export const summary = "64 MCP clients that call a tool at once, against the RPC method with the same schema and handler";

const kClients = 64;
const kForms = { full: [5, 3, 3], quick: [2, 1, 1] };

const call = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "create", arguments: sample, _meta: { progressToken: 1 } },
});

async function post(url, body) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return (await fetch(url, { method: "POST", headers, body })).json();
}

async function checkAnswers(mcp, rpc) {
  const expected = create(input.parse(sample));
  const { result: answer } = await post(mcp, call);
  assert.deepEqual(
    { ...answer, content: JSON.parse(answer.content[0].text) },
    { content: expected, structuredContent: expected, isError: false },
    "wrong answer to the tool",
  );
  assert.deepEqual(await post(rpc, JSON.stringify(sample)), { ok: true, result: expected }, "wrong answer to the method");
}

export async function run({ form, log }) {
  const [rounds, seconds, warmUp] = kForms[form];
  return withSvcd([benchPlugin], async ({ url, pid }) => {
    const sides = [
      { url: `${url}/api/v1/mcp`, body: call },
      { url: `${url}/api/v1/plugins/bench/rpc/create`, body: JSON.stringify(sample) },
    ];
    await checkAnswers(sides[0].url, sides[1].url);
    for (const side of sides) {
      await load({ ...side, connections: kClients, seconds: warmUp });
    }
    const measured = Object.fromEntries(
      ["ours", "peer"].map((side, at) => [side, { pid, measure: () => load({ ...sides[at], connections: kClients, seconds }) }]),
    );
    await inTurns(measured, { rounds, log, tell: ({ perSecond }) => `${Math.round(perSecond)} calls/s` });
    // Errors of tools and of JSON-RPC have status 200, too.
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const [errors, failed] = ["svc_mcp_errors_total", "svc_mcp_failed_calls_total"].map(
      (one) => new RegExp(`^${one} (\\d+)$`, "m").exec(metrics)?.[1],
    );
    assert.deepEqual([errors, failed], ["0", "0"], "calls failed");
    const row = (suffix, member, unit, better) =>
      line(measured, { scenario: `${name}${suffix}`, member, unit, better, peerName: "RPC of the same handler" });
    return [row("", "perSecond", "calls/s", "higher"), row(".p50", "p50Ms", "ms", "lower"), row(".p99", "p99Ms", "ms", "lower")];
  });
}
