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
    const { svc, harness } = create();
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
    svc.providers.register({ id: "my-agent", displayName: "Mine", capabilities: {} });
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
    assert.equal(payload.thread.runtime.displayStatus, "active");
  });
});

describe("agents", () => {
  it("get everything without configure", async () => {
    const { svc, harness } = create({ agentSkillIds: ["todo-skill", "other"] });
    svc.agents.registerTool({ name: "add", description: "Adds", parameters: z.object({ title: z.string() }), execute: () => "" });
    const { tools, skills, instructions, contributedInstructions } = await harness.resolveAgentConfiguration();
    assert.deepEqual(
      [tools.map(({ name }) => name), skills, instructions, contributedInstructions],
      [["add"], ["todo-skill", "other"], null, null],
    );
  });

  it("get what configure chose, narrowed", async () => {
    const { svc, harness } = create({ agentSkillIds: ["todo-skill", "other"] });
    svc.agents.registerTool({ name: "add", description: "Adds", parameters: z.object({ n: z.number() }), execute: () => "" });
    const contexts = [];
    svc.agents.configure((context) => {
      contexts.push(context);
      return {
        tools: [{ name: "add", parameters: { type: "object", properties: { n: { const: 1 } } } }],
        skills: ["other"],
        instructions: "be brief",
      };
    });
    const found = await harness.resolveAgentConfiguration({ thread: { id: "thr_9" }, provider: { model: "m" } });
    assert.deepEqual(found.tools[0].inputSchema.properties, { n: { const: 1 } });
    assert.deepEqual([found.skills, found.instructions], [["other"], "be brief"]);
    assert.equal(contexts[0].thread.id, "thr_9");
    assert.equal(contexts[0].thread.parentThreadId, null);
    const { id, model, capabilities } = contexts[0].provider;
    assert.deepEqual([id, model, capabilities.fork, capabilities.supportsThreadRename], ["test", "m", "none", false]);
    assert.ok(Object.isFrozen(contexts[0].thread));
  });

  it("get nothing when it chooses a skill that is not there, and the log says why", async () => {
    const { svc, harness } = create();
    svc.agents.configure(() => ({ tools: [], skills: ["nope"] }));
    assert.deepEqual((await harness.resolveAgentConfiguration()).skills, []);
    assert.equal(harness.logEntries.at(-1).message, 'agents.configure: no tools and no skills this time: this plugin has no skill "nope"');
  });

  it("have their calls aborted at the end of the load", async () => {
    const { svc, harness } = create();
    let reason;
    svc.agents.registerTool({
      name: "wait",
      description: "Waits",
      parameters: z.object({}),
      async execute(_, { signal }) {
        await forever(signal);
        reason = signal.reason.message;
        return "late";
      },
    });
    const call = harness.callAgentTool("wait", {});
    await settled();
    await harness.lifecycle.dispose();
    assert.deepEqual(await call, { isError: true, content: [{ type: "text", text: "Tool wait was aborted: plugin-disposed" }] });
    assert.equal(reason, "plugin-disposed");
  });
});

describe("forms", () => {
  const ask = (svc, more = {}, options) =>
    svc.ui.requestInput({ threadId: "thr_1", rendererId: "form", title: " Which? ", payload: { a: 1 }, ...more }, options);

  it("are shown, and answered once", async () => {
    const { svc, harness } = create();
    const outcome = ask(svc, { timeoutMs: 5, describeSubmission: (value) => ({ title: `chose ${value.b}` }) });
    const [{ id, ...shown }] = harness.pendingInteractions;
    assert.deepEqual(shown, { threadId: "thr_1", rendererId: "form", title: "Which?", payload: { a: 1 }, timeoutMs: 5 });
    assert.deepEqual(await harness.submitInteraction(id, { b: 2 }), { title: "chose 2" });
    assert.deepEqual(await outcome, { outcome: "submitted", value: { b: 2 } });
    assert.deepEqual(harness.pendingInteractions, []);
    await assert.rejects(harness.submitInteraction(id, 1), { code: "not_found" });
  });

  it("are cancelled by people, by signals and by the end of the load", async () => {
    const { svc, harness } = create();
    const client = new AbortController();
    const outcomes = [ask(svc), ask(svc, {}, { signal: client.signal }), ask(svc), ask(svc, {}, { signal: AbortSignal.abort() })];
    await settled();
    const ids = harness.pendingInteractions.map(({ id }) => id);
    assert.equal(ids.length, 3);
    harness.cancelInteraction(ids[0], "timeout");
    client.abort();
    await harness.lifecycle.dispose();
    const reasons = (await Promise.all(outcomes)).map(({ reason }) => reason);
    assert.deepEqual(reasons, ["timeout", "request-aborted", "plugin-disposed", "request-aborted"]);
  });

  it("take answers up to the limit", async () => {
    const { svc, harness } = create();
    void ask(svc);
    const [{ id }] = harness.pendingInteractions;
    await assert.rejects(harness.submitInteraction(id, "x".repeat(65_535)), {
      message: "the answer has 65537 bytes as JSON, the limit inputPayload is 65536",
    });
    await assert.rejects(
      harness.submitInteraction(id, () => 1),
      { message: "the answer is not JSON: answer is a function" },
    );
  });
});

describe("svc.sdk", () => {
  it("answers with stubs and notes every call", async () => {
    const { svc, harness } = create({ sdk: { threads: { get: async ({ threadId }) => makeThreadResponse({ id: threadId }) } } });
    assert.equal((await svc.sdk.threads.get({ threadId: "thr_1" })).id, "thr_1");
    await assert.rejects(svc.sdk.threads.spawn({ projectId: "p" }), { message: "svc.sdk.threads.spawn is not stubbed" });
    await assert.rejects(svc.sdk.theme.get(), { message: "svc.sdk.theme.get is not stubbed" });
    harness.sdk.stub("plugins.callRpc", ({ input }) => ({ input }));
    const outputSchema = z.object({ input: z.number() });
    assert.deepEqual(await svc.sdk.plugins.callRpc({ pluginId: "a", method: "b", input: 1, outputSchema }), { input: 1 });
    await assert.rejects(svc.sdk.plugins.callRpc({ pluginId: "a", method: "b", input: "x", outputSchema }), {
      name: "HttpError",
      code: "invalid_output",
    });
    await assert.rejects(svc.sdk.threads.get({}), { message: 'sdk.threads.get: "threadId" is missing' });
    assert.deepEqual(
      harness.sdk.calls.map(({ path }) => path),
      ["threads.get", "threads.spawn", "theme.get", "plugins.callRpc", "plugins.callRpc"],
    );
    assert.deepEqual(harness.sdk.callsTo("threads.get"), [{ path: "threads.get", args: [{ threadId: "thr_1" }] }]);
  });

  it("rejects with what a stub throws, and at an abort", async () => {
    const client = new AbortController();
    const { svc, harness } = create({ sdk: { hosts: { list: () => new Promise(() => undefined) } } });
    const call = svc.sdk.hosts.list({ signal: client.signal });
    client.abort();
    await assert.rejects(call, { name: "AbortError" });
    harness.sdk.stub("projects.list", () => {
      throw Object.assign(new Error("gone"), { name: "HttpError", status: 404, code: "not_found" });
    });
    await assert.rejects(svc.sdk.projects.list(), { name: "HttpError", code: "not_found" });
  });

  it("subscribes", () => {
    const { svc, harness } = create();
    svc.sdk.subscribe({ event: "system:changed", callback: () => undefined })();
    assert.equal(harness.sdk.callsTo("subscribe").length, 1);
    assert.throws(() => svc.sdk.subscribe({ event: "x", callback() {} }), /unknown event "x"/);
  });
});

describe("hosts", () => {
  const contract = { size: { input: z.object({ path: z.string() }), output: z.number() } };
  const experimental_signals = { tick: { payload: z.object({ n: z.number() }) } };

  it("are called through the contract", async () => {
    const calls = [];
    const { svc } = create({
      experimental_callHostRpc(call) {
        calls.push(call);
        if (call.input.path === "/gone") {
          throw Object.assign(new Error("no such file"), { code: "handler_error", details: { path: "/gone" } });
        }
        return call.input.path === "/odd" ? "x" : 5;
      },
    });
    const client = svc.hosts.experimental_client({ contract });
    assert.equal(await client.call("size", { path: "/" }, { hostId: "host_1", timeoutMs: 9 }), 5);
    assert.deepEqual(calls, [{ hostId: "host_1", method: "size", input: { path: "/" }, signal: undefined, timeoutMs: 9 }]);
    const failing = (path) => client.call("size", { path }, { hostId: "host_1" });
    await assert.rejects(failing("/gone"), { name: "HostCallError", code: "handler_error", hostId: "host_1", details: { path: "/gone" } });
    await assert.rejects(failing("/odd"), {
      name: "HostCallError",
      code: "invalid_output",
      message: /host output validation failed for "size"/,
    });
    await assert.rejects(failing(5), { name: "HostCallError", code: "invalid_input" });
    assert.equal(calls.length, 3);
  });

  it("are out of reach in a factory, and without an answer", async () => {
    const { harness } = create();
    const codes = [];
    let later;
    await harness.lifecycle.reload(async (svc) => {
      const client = svc.hosts.experimental_client({ contract });
      later = () => client.call("size", { path: "/" }, { hostId: "h" }).catch(({ code }) => codes.push(code));
      await later();
    });
    await later();
    assert.deepEqual(codes, ["plugin_not_running", "host_unavailable"]);
  });

  it("send signals that fit, and exits", async () => {
    const { svc, harness } = create();
    const client = svc.hosts.experimental_client({ contract, experimental_signals });
    const seen = [];
    client.experimental_onSignal("tick", (signal) => void seen.push(signal));
    const off = client.experimental_onWorkerExit((exit) => void seen.push(exit));
    await harness.emitHostSignal({ hostId: "h", name: "tick", payload: { n: 1, more: 2 } });
    await harness.emitHostSignal({ hostId: "h", name: "tick", payload: { n: "x" } });
    await harness.emitHostWorkerExit({ hostId: "h" });
    off();
    await harness.emitHostWorkerExit({ hostId: "h" });
    assert.deepEqual(seen, [{ hostId: "h", payload: { n: 1 } }, { hostId: "h" }]);
  });
});
