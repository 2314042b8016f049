// Profiles of servers that are measured: from what perf prints to folded stacks and the graph, and what is said without perf.
import assert from "node:assert/strict";
import { test } from "node:test";

import { flamePage, treeOf } from "../../../../bench/lib/flame.mjs";
import { addStacks, parseSamples, shortName } from "../../../../bench/lib/fold.mjs";
import { perfProblem } from "../../../../bench/lib/profile.mjs";

const kPrinted = `svcd 100/100 
	           98992 malloc (/usr/lib/x86_64-linux-gnu/libc.so.6)
	           b6159 svc::http::Connection::process (/build/lib/svc/modules/http.so)
	ffffffffffffffff [unknown] ([unknown])

bench#1 100/107 
	    7fa90d690497 [unknown] (/tmp/perf-100.map)
	    7fa90d690499 [unknown] (/tmp/perf-100.map)
	           89373 svc::jsruntime::Bridge::start (/build/lib/svc/modules/jsruntime.so)

svcd 100/100 
	           98992 malloc (/usr/lib/x86_64-linux-gnu/libc.so.6)
	           b6159 svc::http::Connection::process (/build/lib/svc/modules/http.so)

daemon-io 200/203 
	ffffffff816b8b65 vfs_write ([kernel.kallsyms])
	           a9068e [unknown] (/usr/lib/libnode.so.108)
`;

const named = new Map([
  [100, "svcd"],
  [200, "svc-hostd"],
]);
const plain = (stacks) => [...stacks].map(([stack, samples]) => `${stack.replaceAll("\u0000", "|")} ${samples}`);

test("equal stacks of a thread are one, outermost frame first", () => {
  const programs = addStacks(new Map(), parseSamples(kPrinted), named);
  assert.deepEqual([...programs.keys()], ["svcd", "svc-hostd"]);
  assert.deepEqual(plain(programs.get("svcd")), [
    "svcd;svc::http::Connection::process|svc;malloc|library 2",
    "bench#1;svc::jsruntime::Bridge::start|svc;JavaScript (compiled, without names)|javascript 1",
  ]);
  assert.deepEqual(plain(programs.get("svc-hostd")), ["daemon-io;[libnode.so.108]|node;vfs_write|kernel 1"]);
});

test("a process that has ended is called as its main thread, or as the thread that was seen", () => {
  const programs = addStacks(new Map(), parseSamples(kPrinted), new Map());
  assert.deepEqual([...programs.keys()], ["svcd", "daemon-io"]);
});

test("samples of several servers add up", () => {
  const programs = new Map();
  addStacks(programs, parseSamples(kPrinted), named);
  addStacks(programs, parseSamples(kPrinted), named);
  assert.equal(treeOf(programs.get("svcd")).samples, 6);
});

test("names are without parameters and arguments of templates", () => {
  assert.equal(shortName("std::vector<int, std::allocator<int> >::push_back(int const&)"), "std::vector::push_back");
  assert.equal(shortName("(anonymous namespace)::run(int)"), "anonymous::run");
  assert.equal(shortName("svc::A::start()::{lambda()#1}::operator()"), "svc::A::start::lambda::operator()");
  assert.equal(shortName("svc::Name::operator<(svc::Name const&) const"), "svc::Name::operator<");
  assert.equal(shortName("main"), "main");
  assert.equal(shortName("f [clone .part.0]"), "f");
});

test("the graph places callees below their caller, the widest first, as wide as their share", () => {
  const programs = addStacks(new Map(), parseSamples(kPrinted), named);
  const page = flamePage("rpc <one>", programs);
  assert.match(page, /<h1>Where rpc &#60;one&#62; spends/);
  assert.match(page, /<button class="thread" style="left:0\.000%;width:100\.000%;top:0px" title="all: 100 % \(3 samples\)">/);
  assert.match(page, /<button class="thread" style="left:0\.000%;width:66\.667%;top:20px"[^>]*>svcd</);
  assert.match(page, /<button class="svc" style="left:66\.667%;width:33\.333%;top:40px"[^>]*>svc::jsruntime::Bridge::start</);
  assert.ok(page.indexOf("<h2>svcd</h2>") < page.indexOf("<h2>svc-hostd</h2>"), "the program with most samples is first");
});

test("a server that did nothing has a page, too", () => {
  assert.match(flamePage("idle", new Map()), /Nothing was sampled/);
});

test("without perf, or without the right to use it, it is said what to do", () => {
  const problem = (tried, level) => perfProblem({ tryPerf: () => tried, paranoid: () => level });
  assert.equal(problem({ event: "cpu-clock" }, 4), null);
  assert.match(problem({ error: Object.assign(new Error("no"), { code: "ENOENT" }) }, 2), /apt install linux-perf/);
  assert.match(problem({ status: 255, stderr: "EACCES" }, 4), /perf_event_paranoid is 4.*sysctl kernel\.perf_event_paranoid=2/);
  assert.match(problem({ status: 255, stderr: " no events \n" }, 2), /CAP_PERFMON\): no events$/);
});
