// The fake host: what agents get of a plugin, and the forms it shows.
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";

import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { z } from "zod";

const create = (options = {}) => createFakePluginHost({ pluginId: "todo", ...options });
const forever = (signal) => (signal.aborted ? Promise.resolve() : once(signal, "abort"));
/** Resolves when everything that is under way without a timer has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

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

  it("get nothing when it allows more than a tool takes", async () => {
    const { svc, harness } = create();
    svc.agents.registerTool({ name: "add", description: "Adds", parameters: z.object({ n: z.number() }), execute: () => "" });
    const parameters = { type: "object", properties: { n: { type: "string" } } };
    svc.agents.configure(() => ({ tools: [{ name: "add", parameters }], skills: [] }));
    assert.deepEqual((await harness.resolveAgentConfiguration()).tools, []);
    const [cause, consequence] = harness.logEntries.slice(-2).map(({ message }) => message);
    assert.match(cause, /^agents\.configure returned parameters of tool "add" that allow more than the tool: it allows "n" to be string/);
    assert.equal(consequence, "agents.configure: no tools and no skills this time");
  });

  it("call the tools that a thread has, with what is left of their parameters", async () => {
    const { svc, harness } = create();
    const parameters = z.object({ n: z.number() });
    svc.agents.registerTool({ name: "add", description: "Adds", parameters, execute: ({ n }) => `${n}` });
    svc.agents.registerTool({ name: "wipe", description: "Wipes", parameters, execute: () => "" });
    const narrowed = { type: "object", properties: { n: { maximum: 5 } } };
    svc.agents.configure(() => ({ tools: [{ name: "add", parameters: narrowed }], skills: [] }));
    const { tools } = await harness.resolveAgentConfiguration();
    const text = async (...call) => (await harness.callAgentTool(...call)).content[0].text;
    assert.equal(await text("add", { n: 5 }, { tools }), "5");
    assert.match(await text("add", { n: 6 }, { tools }), /^Invalid arguments for tool add: /);
    assert.equal(await text("add", { n: 6 }), "6");
    assert.equal(await text("wipe", { n: 1 }, { tools }), "Unknown tool wipe");
  });

  it("hear how far a call is", async () => {
    const { svc, harness } = create();
    svc.agents.registerTool({
      name: "count",
      description: "Counts",
      parameters: z.object({}),
      execute: (_params, { experimental_progress }) => {
        experimental_progress({ progress: 1, total: 1, message: "one" });
        return "counted";
      },
    });
    const heard = [];
    await harness.callAgentTool("count", {}, { onProgress: (report) => heard.push(report) });
    await harness.callAgentTool("count", {});
    assert.deepEqual(heard, [{ progress: 1, total: 1, message: "one" }]);
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

describe("experimental_runHook", () => {
  it("tells of what the test does not say what the server tells of a first message", async () => {
    const { svc, harness } = create();
    const told = [];
    svc.experimental_hooks.on("message.dispatch", (context) => {
      told.push(context);
      return { kind: "proceed" };
    });
    const run = (context) => harness.experimental_runHook("message.dispatch", context);
    assert.deepEqual(await run({ input: { text: "x" } }), { kind: "proceed" });
    await run({ thread: { title: "T" }, environment: { branchName: "b" }, host: { name: "H" }, initiator: "agent" });
    const [plain, given] = told;
    assert.deepEqual(plain.input, { text: "x", blocks: [{ type: "text", text: "x" }] });
    const { id, title, status } = plain.thread;
    assert.deepEqual({ id, title, status }, { id: "thr_test", title: null, status: "idle" });
    assert.equal(plain.project.kind, "standard");
    assert.deepEqual([plain.environment, plain.host, plain.originPluginId, plain.queuedMessages], [null, null, null, []]);
    assert.deepEqual([plain.attempt, plain.origin, plain.initiator], ["start-turn", "app", "user"]);
    assert.deepEqual(plain.environmentIntent, { type: "project-default" });
    const { environment, host } = given;
    assert.deepEqual(
      [given.thread.title, environment.branchName, environment.status, host.name, host.status],
      ["T", "b", "ready", "H", "connected"],
    );
    assert.deepEqual([given.environmentIntent, given.initiator], [null, "agent"]);
  });
});

describe("providers", () => {
  const provider = { id: "mine", displayName: "Mine", capabilities: {}, composerActions: [] };

  it("need a host entry, as on the server", () => {
    assert.throws(() => create().svc.providers.register(provider), {
      name: "TypeError",
      message: 'providers.register: provider "mine" needs a host entry (svc.host in package.json)',
    });
    create({ hasHostEntry: true }).svc.providers.register(provider);
    create({ experimental_callHostRpc: () => 1 }).svc.providers.register(provider);
    assert.throws(() => create({ hasHostEntry: false, experimental_callHostRpc: () => 1 }).svc.providers.register(provider), /host entry/);
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

  it("belong to the call of a tool where they belong to no thread, as on the server", async () => {
    const { svc, harness } = create();
    const refused = { code: "not_supported", message: /requestInput\(request, \{ signal: ctx\.signal \}\)/ };
    await assert.rejects(ask(svc, { threadId: null }), refused);
    await assert.rejects(ask(svc, { threadId: null }, { signal: new AbortController().signal }), /the signal is of no call/);
    svc.agents.registerTool({
      name: "which",
      description: "Asks",
      parameters: z.object({}),
      execute: async (_input, ctx) => JSON.stringify(await ask(svc, { threadId: null }, { signal: ctx.signal })),
    });
    const answer = harness.callAgentTool("which", {});
    await settled();
    const [{ id, threadId }] = harness.pendingInteractions;
    assert.equal(threadId, null);
    await harness.submitInteraction(id, "a");
    assert.deepEqual((await answer).content, [{ type: "text", text: '{"outcome":"submitted","value":"a"}' }]);
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
