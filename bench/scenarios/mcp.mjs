import assert from "node:assert/strict";

import { load } from "../lib/load.mjs";
import { benchPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";
import { create, input, sample } from "../plugin/task.mjs";

export const name = "mcp";
export const summary = "64 MCP clients that call a tool at once, against the RPC method with the same schema and handler";

const kClients = 64;

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
    { content: expected, isError: false },
    "wrong answer to the tool",
  );
  assert.deepEqual(await post(rpc, JSON.stringify(sample)), { ok: true, result: expected }, "wrong answer to the method");
}

export async function run({ quick, log }) {
  const [rounds, seconds, warmUp] = quick ? [2, 1, 1] : [5, 3, 3];
  return withSvcd([benchPlugin], async ({ url }) => {
    const sides = [
      { url: `${url}/api/v1/mcp`, body: call, runs: [] },
      { url: `${url}/api/v1/plugins/bench/rpc/create`, body: JSON.stringify(sample), runs: [] },
    ];
    await checkAnswers(sides[0].url, sides[1].url);
    for (const side of sides) {
      await load({ ...side, connections: kClients, seconds: warmUp });
    }
    for (let round = 1; round <= rounds; ++round) {
      for (const side of sides) {
        side.runs.push(await load({ ...side, connections: kClients, seconds }));
      }
      const [tool, method] = sides.map(({ runs }) => Math.round(runs.at(-1).perSecond));
      log(`round ${round}: ${tool} tool calls/s and ${method} RPC/s`);
    }
    // Errors of tools and of JSON-RPC have status 200, too.
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const [errors, failed] = ["svc_mcp_errors_total", "svc_mcp_failed_calls_total"].map(
      (one) => new RegExp(`^${one} (\\d+)$`, "m").exec(metrics)?.[1],
    );
    assert.deepEqual([errors, failed], ["0", "0"], "calls failed");
    const line = (suffix, member, unit, better) => {
      const [ours, peer] = sides.map(({ runs }) => median(runs.map((one) => one[member])));
      return result({ scenario: `${name}${suffix}`, unit, better, ours, peer, peerName: "RPC of the same handler" });
    };
    return [line("", "perSecond", "calls/s", "higher"), line(".p50", "p50Ms", "ms", "lower"), line(".p99", "p99Ms", "ms", "lower")];
  });
}
