// The fake host beyond what tests/contract/plugin_host compares with a server: what only a test can do and see.
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";

import { createFakePluginHost, makeThreadResponse } from "@get-svc/plugin-sdk/testing";
import { z } from "zod";

const create = (options = {}) => createFakePluginHost({ pluginId: "todo", ...options });
const any = z.unknown();
const forever = (signal) => (signal.aborted ? Promise.resolve() : once(signal, "abort"));
/** Resolves when everything that is under way without a timer has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("createFakePluginHost", () => {
  it("needs an id", () => {
    assert.throws(() => createFakePluginHost({}), { name: "TypeError", message: /pluginId must be a non-empty string/ });
  });

  it("has behavior and inspection as direct members, too", () => {
    const { harness } = create();
    for (const view of [harness.behavior, harness.inspection]) {
      for (const name of Object.keys(view)) {
        assert.ok(name in harness, name);
      }
    }
    assert.equal(harness.callRpc, harness.behavior.callRpc);
    assert.equal(harness.logEntries, harness.inspection.logEntries);
  });

  it("keeps hosts apart", async () => {
    const [one, other] = [create(), create({ pluginId: "notes" })];
    await one.svc.storage.kv.set("a", 1);
    assert.deepEqual(await other.svc.storage.kv.list(), []);
    assert.equal(other.svc.pluginId, "notes");
  });
});

describe("errors", () => {
  it("of arguments point at the line of the author", () => {
    const { svc } = create();
    const here = new Error().stack.split("\n")[1].replace(/:\d+:\d+\)?$/, "");
    assert.throws(
      () => svc.settings.define({ a: { type: "strin" } }),
      ({ stack }) => stack.split("\n")[1].includes(here.slice(here.indexOf("file:"))),
    );
  });

  it("of the plugin are logged without the frames of the host", async () => {
    const { svc, harness } = create();
    svc.cli.register({ name: "todo", run: () => Promise.reject(new Error("mine")) });
    await assert.rejects(harness.runCli([]), { code: "handler_error", message: "svc todo failed: mine" });
    const { stack } = harness.logEntries.at(-1);
    assert.match(stack, /^Error: mine\n.*testing\.test\.mjs/);
    assert.doesNotMatch(stack, /dist\/testing\.js/);
  });
});

describe("registrations", () => {
  it("lists what was registered, as a copy", () => {
    const { svc, harness } = create({ hasHostEntry: true });
    svc.rpc.register({ b: { input: null, output: any }, a: { input: null, output: any } }, { a: () => 1, b: () => 2 });
    svc.http.route("post", "/hook", (c) => c.text(""), { auth: "token" });
    svc.http.experimental_websocket("/live", () => ({}));
    svc.cli.register({
      name: "todo",
      summary: "Todos",
      commands: [{ name: "list", summary: "s", usage: "u" }],
      run: () => ({ exitCode: 0 }),
    });
    svc.background.service("poll", { start: forever });
    svc.background.schedule("digest", "@daily", () => undefined);
    svc.settings.define({ key: { type: "string", secret: true, default: "hidden" } });
    svc.agents.registerTool({ name: "add", description: "Adds", parameters: z.object({}), instructions: "i", execute: () => "" });
    svc.ui.registerMentionProvider({ id: "items", label: "Items", search: () => [], resolve: () => ({ context: "" }) });
    svc.providers.register({ id: "my-agent", displayName: "Mine", capabilities: {}, composerActions: [] });
    svc.hosts.declareSharedPorts("host_1", [8080]);
    svc.experimental_hooks.on("message.dispatch", () => ({ kind: "proceed" }));
    svc.experimental_hooks.recheck("message.dispatch");
    svc.events.on("thread.idle", () => undefined);
    const off = svc.events.on("thread.idle", () => undefined);
    svc.events.on("thread.failed", () => undefined);

    const { agentTools, providers, ...found } = harness.registrations;
    assert.deepEqual(found, {
      rpcMethods: ["a", "b"],
      httpRoutes: [{ method: "POST", path: "/hook", auth: "token" }],
      webSocketRoutes: [{ path: "/live", auth: "local" }],
      cli: { name: "todo", summary: "Todos", commands: [{ name: "list", summary: "s", usage: "u" }], rendersHelp: false },
      services: ["poll"],
      schedules: [{ name: "digest", cron: "@daily" }],
      settingsDescriptors: { key: { type: "string", label: "key", secret: true } },
      threadEventHandlers: { "thread.idle": 2, "thread.failed": 1 },
      mentionProviders: [{ id: "items", label: "Items", triggers: ["@"] }],
      hooks: ["message.dispatch"],
      sharedPorts: { host_1: [8080] },
    });
    assert.deepEqual(
      agentTools.map(({ name, description, instructions }) => [name, description, instructions]),
      [["add", "Adds", "i"]],
    );
    assert.deepEqual(
      providers.map(({ id }) => id),
      ["my-agent"],
    );
    assert.deepEqual(harness.hookRechecks, ["message.dispatch"]);
    off();
    assert.equal(harness.registrations.threadEventHandlers["thread.idle"], 1);
    found.rpcMethods.push("c");
    assert.deepEqual(harness.registrations.rpcMethods, ["a", "b"]);
  });
});

describe("callRpc", () => {
  it("rejects with what the handler threw", async () => {
    const { svc, harness } = create();
    const thrown = new RangeError("mine");
    svc.rpc.register({ fail: { input: null, output: any } }, { fail: () => Promise.reject(thrown) });
    await assert.rejects(harness.callRpc("fail"), (error) => error === thrown);
    assert.match(harness.logEntries.at(-1).stack, /RangeError: mine/);
  });

  it("passes caller and signal on", async () => {
    const { svc, harness } = create();
    svc.rpc.register({ who: { input: null, output: any } }, { who: (_, { caller, signal }) => [caller, signal.aborted] });
    const caller = { kind: "plugin", pluginId: "notes" };
    assert.deepEqual(await harness.callRpc("who", undefined, { caller, signal: AbortSignal.abort() }), [caller, true]);
  });

  it("sends input as JSON", async () => {
    const { svc, harness } = create();
    svc.rpc.register({ echo: { input: any, output: any } }, { echo: (input) => input });
    assert.deepEqual(await harness.callRpc("echo", { at: new Date(0), gone: undefined }), { at: "1970-01-01T00:00:00.000Z" });
  });
});

describe("fetchHttp", () => {
  it("streams both ways, and tells the handler that the client has left", async () => {
    const { svc, harness } = create();
    let left;
    svc.http.route(
      "POST",
      "/upper",
      (c) =>
        new Response(
          c.req.raw.body
            .pipeThrough(new TextDecoderStream())
            .pipeThrough(new TransformStream({ transform: (text, controller) => controller.enqueue(text.toUpperCase()) }))
            .pipeThrough(new TextEncoderStream()),
        ),
    );
    svc.http.route("GET", "/endless", (c) => {
      left = once(c.req.raw.signal, "abort");
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)) }));
    });
    const body = new ReadableStream({
      start(controller) {
        for (const text of ["ab", "cd"]) {
          controller.enqueue(new TextEncoder().encode(text));
        }
        controller.close();
      },
    });
    assert.equal(await (await harness.fetchHttp("POST", "/upper", { body })).text(), "ABCD");
    const endless = await harness.fetchHttp("GET", "/endless");
    const reader = endless.body.getReader();
    assert.equal((await reader.read()).value.length, 1024);
    await reader.cancel();
    await left;
  });

  it("ends with the signal of the client", async () => {
    const { svc, harness } = create();
    svc.http.route("GET", "/slow", async (c) => {
      await forever(c.req.raw.signal);
      return c.text("late");
    });
    const client = new AbortController();
    const answer = harness.fetchHttp("GET", "/slow", { signal: client.signal });
    client.abort();
    await assert.rejects(answer, { name: "AbortError" });
  });

  it("keeps cookies apart and sends what the body says it is", async () => {
    const { svc, harness } = create();
    svc.http.route("POST", "/form", async (c) => {
      c.header("set-cookie", "a=1");
      c.header("set-cookie", "b=2", { append: true });
      return c.json([c.req.header("content-type").split(";")[0], (await c.req.formData()).get("file").name]);
    });
    const form = new FormData();
    form.set("file", new File(["x"], "x.txt"));
    const response = await harness.fetchHttp("POST", "/form", { body: form });
    assert.deepEqual(await response.json(), ["multipart/form-data", "x.txt"]);
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
  });
});

describe("settings", () => {
  it("begin with what was saved, and change by hand", async () => {
    const { svc, harness } = create({ settings: { level: "high", key: "s3cret", stale: 1, flag: "no boolean" } });
    const changes = [];
    const handle = svc.settings.define({
      level: { type: "select", options: ["low", "high"], default: "low" },
      key: { type: "string", secret: true },
      flag: { type: "boolean", default: true },
    });
    handle.onChange((next, previous) => changes.push([previous.level, next.level]));
    assert.deepEqual(await handle.get(), { level: "high", key: "s3cret", flag: true });
    const shown = await harness.setSettings({ level: null });
    assert.deepEqual(shown.values, { level: "low", key: { set: true }, flag: true });
    assert.deepEqual(changes, [["high", "low"]]);
    await assert.rejects(harness.setSettings({ stale: 2 }), { code: "invalid_input", message: /stale: Unknown setting/ });
  });

  it("load a plugin again that waits for them", async () => {
    const { harness } = create();
    const loads = [];
    await harness.lifecycle.reload(async (svc) => {
      const { key } = await svc.settings.define({ key: { type: "string" } }).get();
      loads.push(key);
      if (key === undefined) {
        svc.status.needsConfiguration("add a key");
      }
    });
    assert.deepEqual(harness.status, { status: "needs-configuration", statusDetail: "add a key" });
    await harness.setSettings({ key: "k" });
    assert.deepEqual(harness.status, { status: "running", statusDetail: null });
    assert.deepEqual(loads, [undefined, "k"]);
  });
});

describe("services and schedules", () => {
  it("run until they are stopped", async () => {
    const { svc, harness } = create();
    const steps = [];
    svc.background.service("poll", {
      async start(signal) {
        steps.push("start");
        await forever(signal);
        steps.push("stop");
      },
    });
    const run = harness.runService("poll");
    assert.throws(() => harness.runService("poll"), /is running already/);
    await run.stop();
    await run.done;
    assert.deepEqual(steps, ["start", "stop"]);
    await harness.runService("poll").stop();
  });

  it("say how they failed", async () => {
    const { svc, harness } = create();
    svc.background.service("broken", { start: () => Promise.reject(new Error("no network")) });
    svc.background.service("unset", {
      start: () => Promise.reject(Object.assign(new Error("add a key"), { name: "NeedsConfigurationError" })),
    });
    await assert.rejects(harness.runService("broken").done, { message: "no network" });
    assert.equal(harness.logEntries.at(-1).message, 'service "broken" failed: no network');
    await assert.rejects(harness.runService("unset").done, { name: "NeedsConfigurationError" });
    assert.deepEqual(harness.status, { status: "needs-configuration", statusDetail: "add a key" });
    assert.throws(() => harness.runService("nope"), { message: 'plugin "todo" has no service "nope"' });
  });

  it("get the time they were due, and reject with what they throw", async () => {
    const { svc, harness } = create();
    const runs = [];
    svc.background.schedule("digest", "@daily", ({ scheduledAt, missed }) => void runs.push([scheduledAt, missed]));
    const thrown = new TypeError("broken");
    svc.background.schedule("broken", "@daily", () => Promise.reject(thrown));
    await harness.runSchedule("digest", { scheduledAt: 5, missed: true });
    assert.deepEqual(runs, [[5, true]]);
    await assert.rejects(harness.runSchedule("broken"), (error) => error === thrown);
    await assert.rejects(harness.runSchedule("nope"), { code: "not_found" });
  });

  it("run one at a time, and end with their load or their caller", async () => {
    const { harness } = create();
    const factory = (svc) => {
      for (const name of ["a", "b"]) {
        svc.background.schedule(name, "@daily", ({ signal }) => forever(signal));
      }
    };
    await harness.lifecycle.reload(factory);
    const caller = new AbortController();
    const first = harness.runSchedule("a", { signal: caller.signal });
    const message = 'schedule "a" of plugin "todo" is running; try again when it has ended';
    await assert.rejects(harness.runSchedule("a"), { code: "conflict", message });
    const other = harness.runSchedule("b");
    caller.abort();
    await first;
    const again = harness.runSchedule("a");
    await harness.lifecycle.reload(factory);
    await Promise.all([again, other]);
    const last = harness.runSchedule("a");
    await harness.lifecycle.dispose();
    await last;
  });
});

describe("events", () => {
  it("reach every handler, and a failure does not hide", async () => {
    const { svc, harness } = create();
    const seen = [];
    svc.events.on("thread.idle", async ({ thread }) => {
      await settled();
      seen.push(thread.id);
    });
    const stop = svc.events.on("thread.idle", () => {
      throw new Error("one");
    });
    svc.events.on("thread.idle", () => Promise.reject(new Error("two")));
    const payload = { thread: makeThreadResponse({ id: "thr_1", status: "active" }), lastAssistantText: null };
    await assert.rejects(
      harness.emitThreadEvent("thread.idle", payload),
      (error) => error instanceof AggregateError && error.errors.length === 2,
    );
    assert.deepEqual(seen, ["thr_1"]);
    stop();
    await assert.rejects(harness.emitThreadEvent("thread.idle", payload), { message: "two" });
    await harness.emitThreadEvent("thread.created", { thread: payload.thread });
    await assert.rejects(harness.emitThreadEvent("nope", {}), { name: "TypeError", message: /unknown event "nope"/ });
    assert.equal(payload.thread.runtime.displayStatus, "active");
  });
});
