import "./support/dom.mjs";

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { definePluginApp } from "@get-svc/plugin-sdk/app";
import { loadPluginApp, mountPluginContentScripts, renderSlot } from "@get-svc/plugin-sdk/testing/app";

const load = (...mounts) =>
  loadPluginApp(async () => ({
    default: definePluginApp((app) => mounts.forEach((mount, index) => app.contentScripts.register({ id: `s${index}`, mount }))),
  }));

test("scripts mount in order with their context and end in reverse", async () => {
  const log = [];
  const script = (name) => (context) => {
    log.push(`mount ${name} ${context.pluginId} ${context.generation}`);
    return () => void log.push(`dispose ${name} ${context.signal.aborted}`);
  };
  const app = await load(
    script("a"),
    async (context) => script("b")(context),
    () => undefined,
  );
  const { lifecycle } = await mountPluginContentScripts(app, { pluginId: "todo", generation: 3 });
  await lifecycle.dispose();
  await lifecycle.dispose();
  assert.deepEqual(log, ["mount a todo 3", "mount b todo 3", "dispose b true", "dispose a true"]);
});

test("row statuses end with the script that set them", async () => {
  let context;
  const app = await load((given) => void (context = given));
  const { behavior, lifecycle } = await mountPluginContentScripts(app, { pluginId: "todo" });
  assert.equal(context.generation, 1);
  const status = { icon: "Check", label: "Done" };
  context.experimental_setThreadRowStatus("thr_1", status);
  context.experimental_setThreadRowStatus("thr_2", status);
  context.experimental_setThreadRowStatus("thr_2", null);
  const { inspection } = renderSlot({ component: () => null }, {});
  assert.deepEqual(inspection.composer.threadRowStatus, { thr_1: status });
  await lifecycle.dispose();
  context.experimental_setThreadRowStatus("thr_3", status);
  assert.deepEqual(inspection.composer.threadRowStatus, {});
  assert.deepEqual(
    behavior.setThreadRowStatuses.map(({ scriptId, threadId, status: set }) => [scriptId, threadId, set?.label ?? null]),
    [
      ["s0", "thr_1", "Done"],
      ["s0", "thr_2", "Done"],
      ["s0", "thr_2", null],
      ["s0", "thr_1", null],
    ],
  );
});

test("a row status has the tones of today, and the older name of one", async () => {
  let context;
  const app = await load((given) => void (context = given));
  const { behavior, lifecycle } = await mountPluginContentScripts(app, { pluginId: "todo" });
  for (const tone of ["default", "running", "success", "error", "warning", "destructive", undefined]) {
    context.experimental_setThreadRowStatus("thr_1", { icon: "Check", label: "Done", ...(tone === undefined ? {} : { tone }) });
  }
  assert.deepEqual(
    behavior.setThreadRowStatuses.map(({ status }) => status.tone),
    ["default", "running", "success", "error", "warning", "error", undefined],
  );
  await lifecycle.dispose();
});

test("a script that fails to mount fails the mount, and the others are ended", async () => {
  const ended = mock.fn();
  const app = await load(
    () => ended,
    () => {
      throw new Error("no anchor");
    },
  );
  await assert.rejects(mountPluginContentScripts(app, { pluginId: "todo" }), { message: "no anchor" });
  assert.equal(ended.mock.callCount(), 1);
});

test("mounting takes at most ten seconds, and a disposer that comes late is called", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const late = mock.fn();
  let finish;
  let signal;
  const app = await load((context) => {
    ({ signal } = context);
    return new Promise((resolve) => (finish = () => resolve(late)));
  });
  const mounted = assert.rejects(mountPluginContentScripts(app, { pluginId: "todo" }), { message: "mount did not end within 10000 ms" });
  mock.timers.tick(9_999);
  assert.equal(signal.aborted, false);
  mock.timers.tick(1);
  await mounted;
  assert.equal(signal.aborted, true);
  assert.equal(late.mock.callCount(), 0);
  finish();
  await new Promise(setImmediate);
  assert.equal(late.mock.callCount(), 1);
  mock.timers.reset();
});

test("a disposer that throws stops no other one, and dispose rejects", async () => {
  const ended = mock.fn();
  const app = await load(
    () => ended,
    () => () => {
      throw new Error("stuck");
    },
  );
  const { lifecycle } = await mountPluginContentScripts(app, { pluginId: "todo" });
  await assert.rejects(lifecycle.dispose(), { message: "stuck" });
  assert.equal(ended.mock.callCount(), 1);
});

test("all signals abort before the first disposer runs, and one that hangs is given up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const log = [];
  const script =
    (name, disposer) =>
    ({ signal }) => {
      signal.addEventListener("abort", () => void log.push(`abort ${name}`));
      return disposer;
    };
  const app = await load(
    script("a", () => void log.push("dispose a")),
    script("b", () => new Promise(() => undefined)),
  );
  const { lifecycle } = await mountPluginContentScripts(app, { pluginId: "todo" });
  const disposed = assert.rejects(lifecycle.dispose(), { message: "the disposer did not end within 10000 ms" });
  assert.deepEqual(log, ["abort a", "abort b"]);
  mock.timers.tick(10_000);
  await disposed;
  assert.deepEqual(log, ["abort a", "abort b", "dispose a"]);
  mock.timers.reset();
});
