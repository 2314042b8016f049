// When the guard of the measurements fails, and what it says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { shareBetween, ticksOf } from "../../../../bench/lib/busy.mjs";
import { baselineOf, guard, pairedRatio, ratiosOf, verdict } from "../../../../bench/lib/guard.mjs";

const row = (scenario, ours, peer, better = "higher") => ({ scenario, better, runs: { ours, peer } });
const rows = (wall, processor) => [row("cli_latency", [wall], [1]), row("cli_latency.cpu", [processor], [1])];
const baseline = { cli_latency: 30, "cli_latency.cpu": 30 };

/** Runs the guard of one scenario; each measurement takes the next of `all`. What it found, and how often it measured. */
async function guarded(all, { busy = [false, false], from = baseline } = {}) {
  let measured = 0;
  const said = [];
  const found = await guard({
    measure: async () => all[measured++],
    isBusy: async () => busy.shift(),
    baseline: from,
    scenarios: ["cli_latency"],
    log: (text) => said.push(text),
  });
  return { ...found, measured, said };
}

test("rounds are compared in pairs, so that a slow one counts for both sides", () => {
  assert.equal(pairedRatio(row("one", [200, 20, 2000], [100, 10, 500])), 2);
  assert.equal(pairedRatio(row("one", [10, 20], [30, 60], "lower")), 3);
});

test("only lines that are guarded have ratios", () => {
  assert.deepEqual(ratiosOf([...rows(40, 50), row("cli_latency.p99", [1], [1])]), { cli_latency: 40, "cli_latency.cpu": 50 });
});

test("a ratio may fall by a third", async () => {
  const { fallen, measured } = await guarded([rows(20, 20)]);
  assert.deepEqual([fallen, measured], [[], 1]);
});

test("a line that seems to have fallen is measured once more, and the better ratio counts", async () => {
  const better = await guarded([rows(19, 40), rows(25, 10)]);
  assert.deepEqual([better.fallen, better.measured, better.ratios], [[], 2, { cli_latency: 25, "cli_latency.cpu": 40 }]);
  assert.match(better.said[0], /once more.*cli_latency/);
  const fallen = await guarded([rows(19, 40), rows(18, 40)]);
  assert.deepEqual([fallen.fallen, fallen.measured], [["cli_latency"], 2]);
});

test("while others use the machine only the processor's time counts", async () => {
  for (const busy of [
    [true, true],
    [false, true],
  ]) {
    const { fallen, busy: isBusy } = await guarded([rows(2, 40), rows(2, 40)], { busy });
    assert.deepEqual([fallen, isBusy], [[], true]);
  }
  assert.deepEqual((await guarded([rows(40, 2), rows(40, 2)], { busy: [true] })).fallen, ["cli_latency.cpu"]);
});

test("a line that is not measured any more has fallen", async () => {
  assert.deepEqual((await guarded([rows(40, 40).slice(1), []])).fallen, ["cli_latency"]);
});

test("a line without a baseline does not fail, and is told", async () => {
  const { fallen, unknown, ...rest } = await guarded([rows(1, 1)], { from: {} });
  assert.deepEqual([fallen, unknown], [[], ["cli_latency", "cli_latency.cpu"]]);
  const { text, failed } = verdict({ fallen, unknown, ...rest }, {});
  assert.equal(failed, false);
  assert.match(text, /Without a baseline: cli_latency, cli_latency.cpu\. .*--update-baseline adds them/);
});

test("a failure says what fell, where to look and how to renew the baseline", () => {
  const found = { ratios: { cli_latency: 12.34, "cli_latency.cpu": 31 }, busy: false, fallen: ["cli_latency"], unknown: [] };
  const { text, failed } = verdict(found, baseline);
  assert.equal(failed, true);
  assert.match(text, /cli_latency +12\.3 times +\(30 times in the baseline\) {2}FALLEN/);
  assert.match(text, /error: fallen by more than a third, also when measured again: cli_latency\./);
  assert.match(text, /scripts\/bench cli_latency --profile/);
  assert.match(text, /scripts\/bench --guard --update-baseline, and commit bench\/baseline\.json/);
});

test("on a busy machine the verdict says which lines do not count", () => {
  const { text } = verdict({ ratios: { cli_latency: 2, "cli_latency.cpu": 31 }, busy: true, fallen: [], unknown: [] }, baseline);
  assert.match(text, /cli_latency +2 times .*told only/);
  assert.doesNotMatch(text, /cli_latency\.cpu .*told only/);
  assert.match(text, /only lines of the processor's time count/);
});

test("a baseline is the median of some runs; on a busy machine of the processor's time only", () => {
  const runs = [10, 30, 20].map((ratio) => ({ cli_latency: ratio, "cli_latency.cpu": ratio + 0.1234 }));
  assert.deepEqual(baselineOf(runs, false), { cli_latency: 20, "cli_latency.cpu": 20.1 });
  assert.deepEqual(baselineOf(runs, true), { "cli_latency.cpu": 20.1 });
});

test("how busy a machine is comes from its ticks: waiting for a disk is none of it", () => {
  const before = ticksOf("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1\n");
  const after = ticksOf("cpu  120 0 60 850 60 5 5 0 20 0\ncpu0 1 1 1 1\n");
  assert.deepEqual(before, { busy: 150, total: 1000 });
  assert.equal(shareBetween(before, after), 0.4);
  assert.equal(shareBetween(before, before), 0);
});
