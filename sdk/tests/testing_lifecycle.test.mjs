// The life of a load on the fake host: what a reload switches, and what the end of a load does in which order.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it, mock } from "node:test";

import { z } from "zod";

// Before the host takes its timers.
mock.timers.enable({ apis: ["setTimeout"] });
const { createFakePluginHost } = await import("@get-svc/plugin-sdk/testing");

const create = (options = {}) => createFakePluginHost({ pluginId: "todo", ...options });
const settled = () => new Promise((resolve) => setImmediate(resolve));
const version = (number) => (svc) => svc.rpc.register({ version: { input: null, output: z.number() } }, { version: () => number });

describe("reload", () => {
  it("loads a plugin, then the next one over it; what is stored stays", async () => {
    const host = create();
    await host.harness.lifecycle.reload(version(1));
    const first = host.svc;
    await first.storage.kv.set("kept", true);
    await host.harness.lifecycle.reload(version(2));
    assert.equal(await host.harness.callRpc("version"), 2);
    assert.equal(await host.svc.storage.kv.get("kept"), true);
    assert.notEqual(host.svc, first);
    assert.throws(() => first.storage.kv.get("kept"), {
      name: "PluginContextStaleError",
      message: /^svc\.storage\.kv\.get: this svc object belongs to an earlier load/,
    });
    first.log.info("still heard");
    assert.deepEqual([first.pluginId, host.harness.logEntries.at(-1).message], ["todo", "still heard"]);
  });

  it("shows nothing of a load before its factory has settled", async () => {
    const { harness } = create();
    await harness.lifecycle.reload(version(1));
    let go;
    const next = harness.lifecycle.reload(async (svc) => {
      version(2)(svc);
      await new Promise((resolve) => (go = resolve));
    });
    await settled();
    assert.equal(await harness.callRpc("version"), 1);
    go();
    await next;
    assert.equal(await harness.callRpc("version"), 2);
  });

  it("lets calls end where they began, and takes new ones at once", async () => {
    const { harness } = create();
    let finish;
    await harness.lifecycle.reload((svc) => {
      svc.rpc.register(
        { version: { input: null, output: z.number() } },
        { version: () => new Promise((resolve) => (finish = () => resolve(1))) },
      );
    });
    const old = harness.callRpc("version");
    await settled();
    const next = harness.lifecycle.reload(version(2));
    await settled();
    assert.equal(await harness.callRpc("version"), 2);
    finish();
    await next;
    assert.equal(await old, 1);
  });

  it("goes one after another", async () => {
    const { harness } = create();
    const steps = [];
    const load = (number) => async (svc) => {
      steps.push(`load ${number}`);
      svc.onDispose(() => void steps.push(`dispose ${number}`));
      await settled();
    };
    await Promise.all([harness.lifecycle.reload(load(1)), harness.lifecycle.reload(load(2)), harness.lifecycle.dispose()]);
    assert.deepEqual(steps, ["load 1", "load 2", "dispose 1", "dispose 2"]);
  });

  it("keeps the present load when the factory fails", async () => {
    const { harness } = create();
    const disposed = [];
    await harness.lifecycle.reload(version(1));
    const thrown = new RangeError("no");
    const failing = (svc) => {
      version(2)(svc);
      svc.onDispose(() => disposed.push("failed load"));
      throw thrown;
    };
    await assert.rejects(harness.lifecycle.reload(failing), (error) => {
      assert.equal(error.message, "reload failed: RangeError: no (the previous instance is still running)");
      assert.equal(error.cause, thrown);
      return error.code === "load_failed";
    });
    assert.equal(await harness.callRpc("version"), 1);
    assert.deepEqual(harness.status, { status: "running", statusDetail: "reload failed: RangeError: no" });
    assert.deepEqual(disposed, ["failed load"]);
    await harness.lifecycle.reload(version(3));
    assert.deepEqual(harness.status, { status: "running", statusDetail: null });
  });

  it("says what a first load failed with, and refuses what is no factory", async () => {
    const { harness } = create();
    await assert.rejects(
      harness.lifecycle.reload(() => Promise.reject(new Error("first"))),
      { code: "load_failed", message: "first" },
    );
    await assert.rejects(harness.lifecycle.reload({}), { message: /the server entry must export a function/ });
    await harness.lifecycle.reload({ default: version(1) });
    assert.equal(await harness.callRpc("version"), 1);
  });

  it("disposes a failed load without waiting for the present one", async () => {
    const { harness } = create();
    await harness.lifecycle.reload((svc) => svc.settings.define({ a: { type: "string" } }));
    await assert.rejects(
      harness.lifecycle.reload((svc) => svc.settings.define({ "a b": { type: "string" } })),
      /settings\.define: the key "a b"/,
    );
    assert.deepEqual(Object.keys(harness.registrations.settingsDescriptors), ["a"]);
  });
});

describe("dispose", () => {
  it("goes through the steps in their order", async () => {
    const { svc, harness } = create();
    const steps = [];
    let over;
    svc.http.experimental_websocket("/live", () => ({ onClose: ({ code }) => void steps.push(`socket ${code}`) }));
    svc.agents.registerTool({
      name: "wait",
      description: "Waits",
      parameters: z.object({}),
      async execute(_, { signal }) {
        await once(signal, "abort");
        steps.push("tool");
        await new Promise((resolve) => (over = resolve));
        steps.push(`end of the tool, storage ${await svc.storage.kv.has("a")}`);
      },
    });
    svc.background.service("poll", {
      async start(signal) {
        await once(signal, "abort");
        steps.push("service");
      },
    });
    let answer;
    svc.rpc.register(
      { slow: { input: null, output: z.unknown() } },
      {
        slow: async () => {
          await new Promise((resolve) => (answer = resolve));
          steps.push(`call, storage ${await svc.storage.kv.has("a")}`);
          setImmediate(over);
        },
      },
    );
    svc.onDispose(() => steps.push("first hook"));
    svc.onDispose(() => {
      throw new Error("broken hook");
    });
    svc.onDispose(() => {
      steps.push("last hook");
      setImmediate(answer);
    });
    const form = svc.ui
      .requestInput({ threadId: "t", rendererId: "r", title: "t", payload: null })
      .then(({ reason }) => steps.push(`form ${reason}`));

    const socket = await harness.experimental_openWebSocket("/live");
    const [tool, call, run] = [harness.callAgentTool("wait", {}), harness.callRpc("slow"), harness.runService("poll")];
    await settled();
    await harness.lifecycle.dispose();
    steps.push("disposed");
    assert.deepEqual(steps, [
      "socket 1012",
      "tool",
      "form plugin-disposed",
      "service",
      "last hook",
      "first hook",
      "call, storage false",
      "end of the tool, storage false",
      "disposed",
    ]);
    assert.equal((await socket.closed).code, 1012);
    assert.ok(harness.logEntries.some(({ message }) => message === "an onDispose hook failed: broken hook"));
    await Promise.all([tool, call, run.done, form]);
    await assert.rejects(harness.callRpc("slow"), {
      code: "plugin_not_running",
      message: 'plugin "todo" is not running (status disabled)',
    });
    assert.deepEqual(harness.status, { status: "disabled", statusDetail: null });
    await harness.lifecycle.dispose();
  });

  it("leaves a service behind that does not stop, and says so", async () => {
    const { harness } = create();
    await harness.lifecycle.reload((svc) => svc.background.service("stuck", { start: () => new Promise(() => undefined) }));
    harness.runService("stuck");
    const next = harness.lifecycle.reload(version(2));
    await settled();
    mock.timers.tick(5_000);
    await next;
    assert.equal(await harness.callRpc("version"), 2);
    assert.deepEqual(harness.status, {
      status: "degraded",
      statusDetail: 'service "stuck" did not finish within 5000 ms (limit serviceStop)',
    });
  });

  it("refuses every member of svc afterwards, and every part of the harness", async () => {
    const { svc, harness } = create();
    svc.background.service("poll", { start: () => undefined });
    await harness.lifecycle.dispose();
    const calls = [
      () => svc.rpc.register({}, {}),
      () => svc.http.route("GET", "/", () => new Response()),
      () => svc.realtime.publish("x"),
      () => svc.settings.define({}),
      () => svc.sdk.plugins.list(),
      () => svc.storage.database(),
      () => svc.server.loopbackBaseUrl,
      () => svc.ui.requestInput({}),
      () => svc.onDispose(() => undefined),
      () => svc.background.service("a", {}),
    ];
    for (const call of calls) {
      assert.throws(call, { name: "PluginContextStaleError" });
    }
    const refused = { code: "plugin_not_running" };
    await assert.rejects(harness.fetchHttp("GET", "/"), refused);
    await assert.rejects(harness.runCli([]), refused);
    await assert.rejects(harness.setSettings({}), refused);
    await assert.rejects(harness.emitThreadEvent("thread.idle", {}), refused);
    assert.throws(() => harness.runService("poll"), refused);
  });
});

describe("install", () => {
  it("runs the hooks and logs the one that fails", async () => {
    const { svc, harness } = create();
    const ran = [];
    svc.onInstall(() => ran.push(1));
    svc.onInstall(() => Promise.reject(new Error("no disk")));
    svc.onInstall(() => ran.push(2));
    await harness.lifecycle.install();
    assert.deepEqual(ran, [1, 2]);
    assert.equal(harness.logEntries.at(-1).message, "an onInstall hook failed: no disk");
  });
});

describe("databases", () => {
  it("refuse SQL that a server may lack, unless the plugin has a function of that name", async () => {
    const { svc, harness } = create();
    const db = svc.storage.database();
    for (const run of [() => db.prepare("SELECT concat(1)"), () => db.exec("SELECT concat(1)")]) {
      assert.throws(run, { name: "SqliteError", code: "SQLITE_ERROR", message: /^no such function: concat \(it came with SQLite 3\.44/ });
    }
    db.function("concat", (value) => `own ${value}`);
    assert.equal(db.prepare("SELECT concat('x')").pluck().get(), "own x");
    await harness.lifecycle.dispose();
  });

  it("keep their file over a reload and remove it at the end", async () => {
    const { harness } = create();
    const handles = [];
    const plugin = (svc) => {
      const db = svc.storage.database();
      svc.storage.migrate(db, ["CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"]);
      handles.push(db);
    };
    await harness.lifecycle.reload(plugin);
    await harness.lifecycle.reload(plugin);
    const [first, second] = handles;
    assert.throws(() => first.prepare("SELECT 1"), { name: "TypeError", message: "The database connection is not open" });
    assert.deepEqual(second.prepare("SELECT x FROM t").pluck().all(), [1]);
    assert.ok(existsSync(second.name));
    await harness.lifecycle.dispose();
    assert.equal(second.open, false);
    assert.ok(!existsSync(dirname(second.name)));
  });
});
