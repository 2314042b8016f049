import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import * as root from "@get-svc/plugin-sdk";
import { experimental_defineHostEntry } from "@get-svc/plugin-sdk/host";
import { experimental_createHostEntryHarness } from "@get-svc/plugin-sdk/testing/host";
import { z } from "zod";

const kMiB = 1024 * 1024;
const any = z.any();

/** A harness over handlers that take and return anything. */
function harnessOf(handlers, more = {}, options = {}) {
  const contract = Object.fromEntries(Object.keys(handlers).map((name) => [name, { input: any, output: any }]));
  return experimental_createHostEntryHarness(experimental_defineHostEntry({ contract, handlers, ...more }), options);
}

test("the entry is its definition with the version of its shape", () => {
  const contract = { a: { input: null, output: any } };
  const handlers = { a: () => 1 };
  const entry = experimental_defineHostEntry({ contract, handlers });
  assert.deepEqual(entry, { experimental_apiVersion: 1, contract, handlers, experimental_signals: {} });
  assert.equal(typeof root.experimental_defineHostEntry, "function");
});

test("a definition that does not fit together is refused", () => {
  const contract = { a: { input: null, output: any } };
  const handlers = { a: () => 1 };
  const cases = [
    [null, "the definition must be an object { contract, handlers }"],
    [{ handlers }, "contract must be an object of methods"],
    [{ contract: { "a b": contract.a }, handlers }, 'method name "a b" must be dotted segments of letters, digits, "-" and "_"'],
    [{ contract: { a: 1 }, handlers }, 'method "a" must be an object { input, output }'],
    [{ contract: { a: { output: any } }, handlers }, /input of method "a" must be a Standard Schema v1 validator, or null/],
    [{ contract: { a: { input: null } }, handlers }, /output of method "a" must be a Standard Schema v1 validator/],
    [{ contract }, "handlers must be an object of functions"],
    [{ contract, handlers: {} }, 'method "a" has no handler function'],
    [{ contract, handlers: { ...handlers, b: () => 1 } }, 'handler "b" has no method in the contract'],
    [{ contract, handlers, experimental_signals: { s: any } }, 'payload of signal "s" must be a Standard Schema v1 validator'],
    [{ contract, handlers, dispose: 1 }, "dispose must be a function"],
  ];
  for (const [definition, message] of cases) {
    assert.throws(
      () => experimental_defineHostEntry(definition),
      typeof message === "string" ? { name: "TypeError", message: `experimental_defineHostEntry: ${message}` } : message,
    );
  }
  assert.throws(() => experimental_createHostEntryHarness({}), /must be the result of experimental_defineHostEntry/);
});

test("what schemas, getters and values that cannot be shown throw is an error of the handler", async () => {
  const throwing = (thrown) => ({
    "~standard": {
      version: 1,
      vendor: "test",
      validate() {
        throw thrown;
      },
    },
  });
  const coded = Object.assign(new Error("no file"), { code: "ENOENT" });
  const named = Object.assign(new Error("gone"), { name: "AbortError" });
  const contract = {
    in: { input: throwing(coded), output: any },
    out: { input: any, output: throwing(new Error("bad schema")) },
    abort: { input: any, output: throwing(named) },
    null: { input: any, output: throwing(null) },
    getter: { input: any, output: any },
    odd: { input: any, output: any },
  };
  const handlers = {
    in: () => 1,
    out: () => 1,
    abort: () => 1,
    null: () => 1,
    getter: () => ({
      get a() {
        throw new Error("bad getter");
      },
    }),
    odd() {
      throw Object.create(null);
    },
  };
  const harness = experimental_createHostEntryHarness(experimental_defineHostEntry({ contract, handlers }));
  for (const [name, message, details] of [
    ["in", "no file", { code: "ENOENT" }],
    ["out", "bad schema"],
    ["abort", "gone"],
    ["null", "null"],
    ["getter", "bad getter"],
    ["odd", "a value that cannot be shown was thrown"],
  ]) {
    const error = await harness.experimental_call(name, 1).then(assert.fail, (failure) => failure);
    assert.deepEqual([error.name, error.code, error.message, error.details], ["HostCallError", "handler_error", message, details], name);
  }
  await harness.experimental_dispose();
});

test("input and output are checked by the contract, and transformed once for each reader", async () => {
  const harness = experimental_createHostEntryHarness(
    experimental_defineHostEntry({
      contract: {
        double: { input: z.object({ n: z.string().transform(Number) }), output: z.number().transform(String) },
        bad: { input: null, output: z.number() },
      },
      handlers: { double: ({ n }) => n * 2, bad: () => "text" },
    }),
  );
  assert.equal(await harness.experimental_call("double", { n: "21" }), "42");
  await assert.rejects(harness.experimental_call("double", { n: 21 }), (error) => {
    assert.equal(error.name, "HostCallError");
    assert.equal(error.code, "invalid_input");
    assert.match(error.message, /^host input validation failed for "double": n: /);
    assert.deepEqual(error.details.issues[0].path, ["n"]);
    assert.equal(typeof error.hostId, "string");
    return true;
  });
  await assert.rejects(harness.experimental_call("bad"), { code: "invalid_output", message: /^host output validation failed for "bad"/ });
  await assert.rejects(harness.experimental_call("bad", 1), { code: "invalid_input", message: 'host method "bad" takes no input' });
  await assert.rejects(harness.experimental_call("none"), { code: "unknown_method", message: 'the host entry has no method "none"' });
});

test("what is not JSON does not cross", async () => {
  const harness = harnessOf({ echo: (input) => input, date: () => ({ at: new Date(0) }), nothing: () => undefined });
  await assert.rejects(harness.experimental_call("echo", { n: NaN }), {
    code: "invalid_input",
    message: "$input.n is NaN, which JSON cannot hold",
  });
  await assert.rejects(harness.experimental_call("date"), {
    code: "non_json_result",
    message: "result.at is an instance of Date, not a plain object",
  });
  assert.equal(await harness.experimental_call("nothing"), undefined);
  const given = { a: [1] };
  const returned = await harness.experimental_call("echo", given);
  assert.deepEqual(returned, given);
  assert.notEqual(returned, given);
});

test("results and signals have at most 8 MiB, inputs 32 MiB", async () => {
  const harness = harnessOf(
    {
      text: (length) => "x".repeat(length),
      wide: (length) => "é".repeat(length),
      size: (input) => input.length,
      signal: (length, { experimental_emitSignal: emit }) => emit("big", "x".repeat(length)),
    },
    { experimental_signals: { big: { payload: z.string() } } },
  );
  assert.equal((await harness.experimental_call("text", 8 * kMiB - 2)).length, 8 * kMiB - 2);
  await assert.rejects(harness.experimental_call("text", 8 * kMiB - 1), {
    code: "too_large",
    message: "result has 8388609 bytes as JSON, more than the 8388608 of the limit host-output",
  });
  await assert.rejects(harness.experimental_call("wide", 4 * kMiB), { code: "too_large" });
  assert.equal(await harness.experimental_call("size", "x".repeat(32 * kMiB - 2)), 32 * kMiB - 2);
  await assert.rejects(harness.experimental_call("size", "x".repeat(32 * kMiB - 1)), {
    code: "too_large",
    message: /\$input has .* limit host-input/,
  });
  await assert.rejects(harness.experimental_call("signal", 8 * kMiB), { code: "handler_error", details: { code: "too_large" } });
});

test("what a handler throws fails its call", async () => {
  const harness = harnessOf({
    plain: () => {
      throw new Error("no disk");
    },
    coded: async () => {
      throw Object.assign(new Error("no disk"), { code: "ENOSPC" });
    },
    odd: () => {
      throw "text";
    },
    large: () => {
      throw Object.assign(new Error(`${"x".repeat(65_535)}😀${"y".repeat(9_000_000)}`), { code: "C".repeat(9_000_000) });
    },
  });
  await assert.rejects(harness.experimental_call("plain"), { name: "HostCallError", code: "handler_error", message: "no disk" });
  await assert.rejects(harness.experimental_call("coded"), { details: { code: "ENOSPC" } });
  await assert.rejects(harness.experimental_call("odd"), { message: "text" });
  const large = await harness.experimental_call("large").then(assert.fail, (failure) => failure);
  assert.equal(large.message, `${"x".repeat(65_535)}…`);
  assert.equal(large.details.code.length, 65_537);
});

test("signals are checked and collected as the server entry gets them", async () => {
  const harness = harnessOf(
    { emit: ([name, payload], { experimental_emitSignal: emit }) => emit(name, payload) },
    { experimental_signals: { tick: { payload: z.object({ n: z.number().default(7) }) } } },
  );
  await harness.experimental_call("emit", ["tick", { n: 1 }]);
  await harness.experimental_call("emit", ["tick", {}]);
  assert.deepEqual(harness.experimental_getSignals(), [
    { name: "tick", payload: { n: 1 } },
    { name: "tick", payload: { n: 7 } },
  ]);
  await assert.rejects(harness.experimental_call("emit", ["tock", 1]), {
    message: 'experimental_emitSignal: experimental_signals has no "tock"',
  });
  await assert.rejects(harness.experimental_call("emit", ["tick", { n: "1" }]), /the payload of "tick" does not fit: n: /);
});

test("an abort ends the call at once and reaches the handler", async () => {
  const signals = [];
  const harness = harnessOf({ wait: (_input, { signal }) => (signals.push(signal), new Promise(() => undefined)) });
  const controller = new AbortController();
  const call = harness.experimental_call("wait", null, { signal: controller.signal });
  await new Promise(setImmediate);
  controller.abort();
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(signals[0].aborted, true);
  await assert.rejects(harness.experimental_call("wait", null, { signal: controller.signal }), { name: "AbortError" });
  assert.equal(signals.length, 1);
});

test("the worker is retained by leases that are taken during a call", async () => {
  let context;
  const leases = [];
  const harness = harnessOf({ take: (_input, given) => void ((context = given), leases.push(given.experimental_retainWorker())) });
  await harness.experimental_call("take");
  await harness.experimental_call("take");
  assert.equal(harness.experimental_getRetainedWorkerLeaseCount(), 2);
  await leases[0].dispose().then(() => leases[0].dispose());
  assert.equal(harness.experimental_getRetainedWorkerLeaseCount(), 1);
  assert.throws(() => context.experimental_retainWorker(), /the call has ended/);
});

test("dispose aborts everything, then runs the hook once", async () => {
  const order = [];
  let paths;
  const harness = harnessOf(
    {
      wait: (_input, { signal, lifecycle, experimental_paths }) => {
        paths = experimental_paths;
        writeFileSync(join(paths.tempDir, "file"), "");
        signal.addEventListener("abort", () => order.push(`call ${lifecycle.signal.aborted}`));
        return new Promise(() => undefined);
      },
    },
    { dispose: async () => void order.push("dispose") },
  );
  harness.experimental_lifecycleSignal.addEventListener("abort", () => order.push("lifecycle"));
  const call = harness.experimental_call("wait");
  const failed = assert.rejects(call, { name: "HostCallError", code: "worker_exited" });
  await new Promise(setImmediate);
  await Promise.all([harness.experimental_dispose(), harness.experimental_dispose()]);
  await failed;
  assert.deepEqual(order, ["lifecycle", "call true", "dispose"]);
  assert.equal(existsSync(paths.tempDir), false);
  await assert.rejects(harness.experimental_call("wait"), { code: "generation_retired" });
});

test("directories and watches can be given", async () => {
  const experimental_paths = { dataDir: "/data", tempDir: "/tmp" };
  const events = [];
  const handlers = {
    watch: async ({ rootPath }, context) => {
      await context.experimental_watch({ rootPath }, (event) => events.push(event));
      return context.experimental_paths;
    },
  };
  const experimental_watch = async ({ rootPath }, on) => {
    on({ type: "changed", changes: [{ path: rootPath, type: "create" }] });
    return { dispose() {} };
  };
  const harness = harnessOf(handlers, {}, { experimental_paths, experimental_watch });
  assert.deepEqual(await harness.experimental_call("watch", { rootPath: "/a" }), experimental_paths);
  assert.deepEqual(events, [{ kind: "changed", type: "changed", changes: [{ path: "/a", type: "create" }] }]);
  await assert.rejects(harnessOf(handlers).experimental_call("watch", { rootPath: "/a" }), /experimental_watch is not given/);
});

/** A harness whose handler `watch` starts a watch with what the test gives, and the watches it started. */
function watchingHarness(more = {}) {
  const started = [];
  const events = [];
  const handles = [];
  const handlers = {
    watch: async (options, context) => {
      handles.push(await context.experimental_watch(options, (event) => events.push(event)));
    },
    deaf: (options, context) => context.experimental_watch(options, "not a function"),
  };
  const experimental_watch = (options, on) => {
    const watch = { options, on, isOver: false };
    started.push(watch);
    return { dispose: () => void (watch.isOver = true) };
  };
  return { harness: harnessOf(handlers, more, { experimental_watch }), started, events, handles };
}

test("options of a watch are checked, and their defaults filled in", async () => {
  const { harness, started } = watchingHarness();
  await harness.experimental_call("watch", { rootPath: "/a" });
  await harness.experimental_call("watch", { rootPath: "/a", ignoredPaths: ["b"], debounceMs: 10, maxWaitMs: 30_000 });
  await harness.experimental_call("watch", { rootPath: "/a", debounceMs: 5_000 });
  assert.deepEqual(
    started.map(({ options }) => options),
    [
      { rootPath: "/a", ignoredPaths: [], debounceMs: 75, maxWaitMs: 500 },
      { rootPath: "/a", ignoredPaths: ["b"], debounceMs: 10, maxWaitMs: 30_000 },
      { rootPath: "/a", ignoredPaths: [], debounceMs: 5_000, maxWaitMs: 5_000 },
    ],
  );
  const long = "é".repeat(8 * 1024 + 1);
  const cases = [
    [null, "the options must be an object { rootPath }"],
    [{}, "rootPath must be a non-empty string"],
    [{ rootPath: "a" }, 'rootPath must be an absolute path, is "a"'],
    [{ rootPath: "/a\0" }, "rootPath holds a NUL character"],
    [{ rootPath: `/${long}` }, "rootPath has 16387 bytes, more than the 16384 of the limit watch-paths"],
    [{ rootPath: "/a", ignoredPaths: "b" }, "ignoredPaths must be an array of paths"],
    [{ rootPath: "/a", ignoredPaths: ["b", ""] }, "ignoredPaths[1] must be a non-empty string"],
    [{ rootPath: "/a", ignoredPaths: Array(4097).fill("b") }, "ignoredPaths has 4097 entries, more than the 4096 of the limit watch-paths"],
    [{ rootPath: "/a", debounceMs: 9 }, "debounceMs must be an integer from 10 to 5000 (limit watch-time), is 9"],
    [{ rootPath: "/a", debounceMs: 5001 }, "debounceMs must be an integer from 10 to 5000 (limit watch-time), is 5001"],
    [{ rootPath: "/a", debounceMs: 75.5 }, "debounceMs must be an integer from 10 to 5000 (limit watch-time), is 75.5"],
    [{ rootPath: "/a", maxWaitMs: 30_001 }, "maxWaitMs must be an integer from 75 to 30000 (limit watch-time), is 30001"],
    [{ rootPath: "/a", debounceMs: 100, maxWaitMs: 99 }, "maxWaitMs must be an integer from 100 to 30000 (limit watch-time), is 99"],
  ];
  for (const [options, message] of cases) {
    await assert.rejects(harness.experimental_call("watch", options), { code: "handler_error", message: `experimental_watch: ${message}` });
  }
  await assert.rejects(harness.experimental_call("deaf", { rootPath: "/a" }), {
    message: "experimental_watch: the listener must be a function",
  });
  assert.equal(started.length, 3);
});

test("a worker has at most 256 watches", async () => {
  const { harness, started, handles } = watchingHarness();
  for (let count = 0; count < 256; count++) {
    await harness.experimental_call("watch", { rootPath: "/a" });
  }
  await assert.rejects(harness.experimental_call("watch", { rootPath: "/a" }), {
    message: "experimental_watch: the worker has 256 watches, the most that the limit watch-count allows; dispose of one first",
  });
  handles[0].dispose();
  handles[0].dispose();
  await harness.experimental_call("watch", { rootPath: "/a" });
  assert.equal(started.length, 257);
});

test("what is more than a batch holds means reading again", async () => {
  const { harness, started, events } = watchingHarness();
  await harness.experimental_call("watch", { rootPath: "/a" });
  const changes = (count, path) => Array.from({ length: count }, () => ({ path, type: "update" }));
  started[0].on({ type: "changed", changes: changes(4096, "a") });
  started[0].on({ type: "changed", changes: changes(4097, "a") });
  started[0].on({ type: "changed", changes: changes(100, "é".repeat(6000)) });
  started[0].on({ kind: "watch-error", message: "gone" });
  const kinds = ["changed", "rescan-required", "rescan-required", "watch-error"];
  assert.deepEqual(
    events.map(({ kind }) => kind),
    kinds,
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    kinds,
  );
  // The error is the end of the watch.
  started[0].on({ type: "rescan-required" });
  assert.deepEqual([events.length, started[0].isOver], [4, true]);
});

test("a watch ends with its handle or with the worker, and is silent then", async () => {
  const { harness, started, events, handles } = watchingHarness();
  await harness.experimental_call("watch", { rootPath: "/a" });
  await harness.experimental_call("watch", { rootPath: "/b" });
  await handles[0].dispose().then(() => handles[0].dispose());
  started[0].on({ type: "rescan-required" });
  assert.deepEqual([started.map(({ isOver }) => isOver), events], [[true, false], []]);
  await harness.experimental_dispose();
  started[1].on({ type: "rescan-required" });
  assert.deepEqual([started.map(({ isOver }) => isOver), events], [[true, true], []]);
});

test("after the end of the worker nothing is sent, retained or watched any more", async () => {
  let context;
  const order = [];
  const harness = harnessOf(
    { keep: (_input, given) => void ((context = given), given.experimental_retainWorker()) },
    {
      experimental_signals: { tick: { payload: any } },
      dispose: async () => {
        order.push(harness.experimental_getRetainedWorkerLeaseCount());
        await context.experimental_emitSignal("tick", 1);
        order.push("emitted");
      },
    },
    { experimental_watch: () => assert.fail("no watch is started") },
  );
  await harness.experimental_call("keep");
  await harness.experimental_dispose();
  assert.deepEqual(order, [0, "emitted"]);
  assert.deepEqual(harness.experimental_getSignals(), []);
  await assert.rejects(
    context.experimental_watch({ rootPath: "/a" }, () => undefined),
    /the worker stops/,
  );
  assert.throws(() => context.experimental_retainWorker(), /the call has ended/);
});

test("a dispose that fails says so, to everyone who waits for it", async () => {
  const harness = harnessOf(
    {},
    {
      dispose: () => {
        throw new Error("cannot close");
      },
    },
  );
  await assert.rejects(harness.experimental_dispose(), /cannot close/);
  await assert.rejects(harness.experimental_dispose(), /cannot close/);
});
