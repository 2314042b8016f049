// What the lines of the measurements say of the runs of both sides.
import assert from "node:assert/strict";
import { test } from "node:test";

import { kBars, unmeasured } from "../../../../bench/lib/bars.mjs";
import { kScenarios } from "../../../../bench/lib/scenarios.mjs";
import { line, middleHalf, spread } from "../../../../bench/lib/stats.mjs";

const sides = (ours, peer) => ({
  ours: { runs: ours.map((value) => ({ value, cpuUs: 20, rssMiB: 100 })) },
  ...(peer && { peer: { runs: peer.map((value) => ({ value, cpuUs: 40, rssMiB: 50 })) } }),
});
const rate = { scenario: "one", member: "value", unit: "calls/s", better: "higher", peerName: "Node" };

test("the spread is the width of the middle half in per cent of the median", () => {
  assert.deepEqual(middleHalf([100, 1, 90, 110, 1000]), [90, 110]);
  assert.equal(spread([100, 1, 90, 110, 1000]), 20);
  assert.equal(spread([7]), null);
  assert.equal(spread([0, 0, 0]), 0);
});

test("a line has the medians, how many times better ours is, and every round", () => {
  const { ours, peer, ratio, runs, use } = line(sides([300, 100, 200], [50, 100, 150]), rate);
  assert.deepEqual([ours, peer, ratio], [200, 100, 2]);
  assert.deepEqual(runs, { ours: [300, 100, 200], peer: [50, 100, 150] });
  assert.deepEqual(use, { of: "server", ours: { cpuUs: 20, rssMiB: 100 }, peer: { cpuUs: 40, rssMiB: 50 } });
});

test("less is better where the line says so", () => {
  assert.equal(line(sides([10], [40]), { ...rate, better: "lower" }).ratio, 4);
});

test("a line without a peer has no ratio, nor has one whose peer took nothing", () => {
  const alone = line(sides([10]), rate);
  assert.deepEqual([alone.peer, alone.peerName, alone.ratio, alone.runs.peer, alone.use.peer], [null, null, null, null, null]);
  assert.equal(line(sides([10], [0]), rate).ratio, null);
});

test("a round that does not tell what it took counts for the rest of the line", () => {
  const runs = [{ value: 1, cpuUs: null }, { value: 2, cpuUs: 30 }, { value: 3 }];
  assert.deepEqual(line({ ours: { runs } }, rate).use.ours, { cpuUs: 30, rssMiB: null });
});

test("a bar of a ratio and a bar of a value are met from their number on", () => {
  const metOf = (scenario, better, ours, peer) => line(sides([ours], peer), { ...rate, scenario, better }).met;
  assert.deepEqual(kBars.rpc_throughput.rpc_throughput, { ratio: 2.3 });
  assert.equal(metOf("rpc_throughput", "higher", 230, [100]), true);
  assert.equal(metOf("rpc_throughput", "higher", 229, [100]), false);
  assert.equal(metOf("rpc_throughput", "higher", 230), false, "no peer, no ratio");
  assert.deepEqual(kBars.plugin_reload.plugin_reload, { value: 30 });
  assert.equal(metOf("plugin_reload", "lower", 30, [1]), true);
  assert.equal(metOf("plugin_reload", "lower", 30.5, [1]), false);
  assert.equal(metOf("nobody_wants_anything", "lower", 1, [1]), null);
});

test("bars are those of scenarios, and a line that is not there is told", () => {
  const names = kScenarios.map(({ name }) => name);
  assert.deepEqual(
    Object.keys(kBars).filter((name) => !names.includes(name)),
    [],
  );
  assert.deepEqual(unmeasured("cli_latency", [{ scenario: "cli_latency.cpu" }]), ["cli_latency"]);
  assert.deepEqual(unmeasured("cli_latency", [{ scenario: "cli_latency" }]), []);
  assert.deepEqual(unmeasured("mcp", []), []);
});
