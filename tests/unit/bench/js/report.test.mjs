// The pages of the measurements: what they contain, and that they need nothing from elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";

import { curvesPage } from "../../../../bench/lib/curves.mjs";
import { flamePage } from "../../../../bench/lib/flame.mjs";
import { linearTicks, numbered } from "../../../../bench/lib/page.mjs";
import { barText, reportPage } from "../../../../bench/lib/report.mjs";
import { barValue } from "../../../../bench/lib/rounds.mjs";
import { line } from "../../../../bench/lib/stats.mjs";

const sides = {
  ours: { runs: [4000, 3000, 5000, 4500, 3500].map((perSecond) => ({ perSecond, cpuUs: 31.1, rssMiB: 173 })) },
  peer: { runs: [1000, 1100, 900, 1200, 800].map((perSecond) => ({ perSecond, cpuUs: 49, rssMiB: 84.5 })) },
};
const rate = { member: "perSecond", unit: "requests/s", better: "higher", peerName: "Node <with> a name" };
const scenario = (name, rows, rest = {}) => ({ name, summary: `what \`${name}\` measures`, rows, profile: null, error: null, ...rest });
const about = { date: "2026-01-02T03:04:05Z", machine: "a processor", cores: "2", commit: "abc1234 A change", build: "build/release" };

const report = reportPage({
  about,
  scenarios: [
    scenario("rpc_throughput", [line(sides, { ...rate, scenario: "rpc_throughput" })], { profile: "profiles/rpc_throughput.html" }),
    scenario("cli_latency", [line(sides, { ...rate, scenario: "cli_latency", better: "lower", unit: "ms" })]),
    scenario("idle_memory", [line({ ours: sides.ours }, { ...rate, scenario: "idle_memory", unit: "MiB" })]),
    scenario("storage", [], { error: "npm said <no>" }),
  ],
});
const flame = flamePage("rpc_throughput", new Map([["svcd", new Map([["main;a<b>\u0000svc", 3]])]]));
const curves = curvesPage([{ name: "rows", summary: "more", lines: [{ unit: "us", values: [{ at: 1, value: 2 }], grown: [] }] }]);

/** Addresses that a browser would ask: namespaces and links within the folder are none. */
const outside = (page) => page.match(/(?:https?:|\/\/[a-z0-9.-]+\.[a-z]{2,}|url\(|@import|<(?:script|img|iframe)[^>]* src=)[^"' ]*/gi);

test("pages are whole by themselves", () => {
  for (const page of [report, flame, curves]) {
    assert.equal(outside(page), null);
    assert.match(page, /^<!doctype html>/);
    assert.match(page, /prefers-color-scheme: dark/);
    assert.match(page, /<meta name="viewport" content="width=device-width/);
  }
});

test("the report has every scenario with what it measures, and says of what run it is", () => {
  for (const name of ["rpc_throughput", "cli_latency", "idle_memory", "storage"]) {
    assert.match(report, new RegExp(`<section id="${name}"><h2>${name}</h2>\\s*<p>what <code>${name}</code> measures\\.`));
    assert.match(report, new RegExp(`<a href="#${name}">`));
  }
  for (const [what, fact] of Object.entries(about)) {
    assert.ok(report.includes(`<dt>${what}</dt><dd>${fact}</dd>`), what);
  }
});

test("each line says its ratio, its bar and whether that is met, and each number has its unit", () => {
  assert.match(report, /<b>4 times<\/b> better than Node &#60;with&#62; a name/);
  assert.match(report, /✓ met<\/strong> <span>bar: at least 2\.3 times better/);
  assert.match(report, /✗ not met<\/strong> <span>bar: at least 22 times better/);
  assert.match(report, /1 of 2 bars met/);
  assert.match(report, /<td>4,000 requests\/s<\/td><td>25 %<\/td><td>31\.1 µs<\/td><td>173 MiB<\/td>/);
  assert.match(report, /<td>1,000 requests\/s<\/td><td>20 %<\/td><td>49 µs<\/td><td>84\.5 MiB<\/td>/);
});

test("the processor's time is told in a unit of its size", () => {
  const told = (cpuUs) => {
    const rows = [line({ ours: { runs: [{ perSecond: 1, cpuUs }] } }, { ...rate, scenario: "one" })];
    return /<td>([^<]*)<\/td><td>–<\/td><\/tr>/.exec(reportPage({ about, scenarios: [scenario("one", rows)] }))[1];
  };
  assert.deepEqual([9990, 132_000, 7_830_000].map(told), ["9,990 µs", "132 ms", "7.83 s"]);
});

test("the plot has a point for each round of each side", () => {
  const [plot] = /<svg[^]*?<\/svg>/.exec(report);
  assert.equal(plot.match(/<circle /g).length, 10);
  assert.match(plot, /<title>round 2: 3,000 requests\/s<\/title>/);
  assert.match(plot, /class="bar"/);
});

test("a scenario that failed says why, and one with a profile leads to it", () => {
  assert.match(report, /npm said &#60;no&#62;/);
  assert.match(report, /<a href="profiles\/rpc_throughput\.html">Flame graph<\/a>/);
});

test("bars are told in words and lie on the axis of their line", () => {
  assert.equal(barText({ bar: { ratio: 1 }, better: "higher", unit: "ms" }), "at least as good");
  assert.equal(barText({ bar: { ratio: 0.67 }, better: "lower", unit: "MiB" }), "at least 0.67 times as good");
  assert.equal(barText({ bar: { value: 30 }, better: "lower", unit: "ms" }), "at most 30 ms");
  assert.equal(barText({ bar: { value: 30 }, better: "higher", unit: "calls/s" }), "at least 30 calls/s");
  assert.equal(barValue({ bar: { ratio: 2 }, peer: 10, better: "higher" }), 20);
  assert.equal(barValue({ bar: { ratio: 2 }, peer: 10, better: "lower" }), 5);
  assert.equal(barValue({ bar: { value: 30 }, peer: 10, better: "lower" }), 30);
  assert.equal(barValue({ bar: { ratio: 2 }, peer: null, better: "lower" }), null);
  assert.equal(barValue({ bar: null, peer: 1, better: "lower" }), null);
});

test("an axis has round steps and reaches the highest value", () => {
  assert.deepEqual(linearTicks(100), [0, 25, 50, 75, 100]);
  assert.deepEqual(linearTicks(0.3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(linearTicks(0), [0, 1]);
  assert.ok(linearTicks(39_100).at(-1) >= 39_100);
  assert.equal(numbered(39_149), "39,100");
});
