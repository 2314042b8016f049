import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { z } from "zod";
import { load as loadBundle } from "../../../support/js/bundle.mjs";
import { FakeApi, FakeCall, FakeRuntime, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

// Before the part takes its timers.
mock.timers.enable({ apis: ["setTimeout"] });
const loadPart = partLoader("modules/sdkclient/js/sdk.ts");

/** The part over a service that answers with `answer(request)`. */
function load(answer = () => ({ status: 200, body: { ok: true } })) {
  const part = loadPart();
  const requests = [];
  part.runtime.call = async (name, argument) => {
    assert.equal(name, "sdk.request");
    const [id, verb, target, ...body] = argument.split("\n");
    const request = { id, verb, target, body: body.join("\n") };
    requests.push(request);
    const { status, body: answered } = await answer(request);
    return `${status}\n${typeof answered === "string" ? answered : JSON.stringify(answered)}`;
  };
  return { ...part, sdk: part.svc.sdk, requests };
}

const failing = (status, error) => () => ({ status, body: { ok: false, error } });

const kAreas = {
  threads: "get list spawn send retry stop archive output timeline defaultExecutionOptions update delete unarchive archiveAll fork search editMessage wait open pin unpin reorderPinned markRead markUnread promptHistory conversationOutline getPluginMetadata updatePluginMetadata compact childSummary resolveMentions storageFiles storageLocation storagePaths cancelPlan clearGoal paneAction timelineTurnSummaryDetails experimental_listAncestors experimental_listDescendants",
  "threads.events": "list wait",
  "threads.interactions": "list get resolve respond cancel",
  "threads.queuedMessages": "create list update delete send reorder setGroupBoundary",
  "threads.tabs": "get update",
  threadSections: "list create update delete",
  projects: "list get create update delete reorder paths files fileContent branches defaultExecutionOptions promptHistory sidebarBootstrap",
  "projects.sources": "add update delete",
  "projects.attachments": "upload read copy",
  environments: "get list listProviders update delete status paths diff diffFile diffFiles diffPatch diffBranches commit pullRequest archiveThreads markPullRequestDraft markPullRequestReady mergePullRequest",
  hosts: "list directory get update delete create listProviders pathsExist cloneDefaultPath pickFolder suspend resume retryCleanup retryUpdate providerCliStatus installProviderCli",
  providers: "list models",
  terminals: "create get output close list input resize rename restart",
  files: "read write list listPaths mkdir move remove createPreview",
  skills: "list listFiles getContent update remove",
  plugins: "callRpc updateSettings list install remove enable disable reload token getSource getSettings checkUpdates listUpdateResults applyUpdate",
  "plugins.catalog": "search status installPlan install",
  "plugins.marketplaces": "add list refresh remove",
  system: "config usageLimits version reloadConfig attention executionOptions providerStates transcribeVoice updateGeneralSettings uiPreferences",
  theme: "get catalog set",
  status: "get",
  guide: "render",
};

describe("svc.sdk", () => {
  for (const [area, names] of Object.entries(kAreas)) {
    it(`has every method of ${area}`, () => {
      const { sdk } = load();
      const target = area.split(".").reduce((value, key) => value[key], sdk);
      assert.deepEqual(names.split(" ").filter((name) => typeof target[name] !== "function"), []);
    });
  }

  const requests = [
    ["a member in the path and the rest in the query", (sdk) => sdk.threads.get({ threadId: "thr/1", include: "environment" }), "GET /api/v1/threads/thr%2F1?include=environment", ""],
    ["nothing", (sdk) => sdk.plugins.list(), "GET /api/v1/plugins", ""],
    ["booleans, numbers, lists and objects in the query", (sdk) => sdk.threads.list({ archived: false, limit: 6, types: ["a", "b"], before: { anchorSeq: 1 }, offset: undefined }),
      "GET /api/v1/threads?archived=false&limit=6&types=a&types=b&before=%7B%22anchorSeq%22%3A1%7D", ""],
    ["the rest in the body", (sdk) => sdk.terminals.resize({ terminalId: "t", cols: 80, rows: 24 }), "POST /api/v1/terminals/t/resize", '{"cols":80,"rows":24}'],
    ["no body when nothing is left", (sdk) => sdk.plugins.enable({ pluginId: "a" }), "POST /api/v1/plugins/a/enable", ""],
    ["a renamed query parameter", (sdk) => sdk.plugins.reload({ pluginId: "a b" }), "POST /api/v1/plugins/reload?id=a%20b", ""],
    ["no parameter for every plugin", (sdk) => sdk.plugins.reload(), "POST /api/v1/plugins/reload", ""],
    ["the caller's own plugin as the default", (sdk) => sdk.plugins.updateSettings({ values: { a: null } }), "PUT /api/v1/plugins/todo/settings", '{"values":{"a":null}}'],
    ["another plugin when named", (sdk) => sdk.plugins.getSettings({ pluginId: "other" }), "GET /api/v1/plugins/other/settings", ""],
    ["a purge", (sdk) => sdk.plugins.remove({ pluginId: "a", purge: true }), "DELETE /api/v1/plugins/a?purge=true", ""],
    ["a theme", (sdk) => sdk.theme.set({ themeId: "plugin:a:b", faviconColor: null }), "PUT /api/v1/theme", '{"themeId":"plugin:a:b","faviconColor":null}'],
    ["a path outside of the API", (sdk) => sdk.status.get(), "GET /readyz", ""],
  ];
  for (const [what, call, line, body] of requests) {
    it(`sends ${what}`, async () => {
      const { sdk, requests: sent } = load();
      await call(sdk);
      assert.deepEqual(sent.map((request) => [`${request.verb} ${request.target}`, request.body]), [[line, body]]);
    });
  }

  it("returns the named member, or what is there besides ok", async () => {
    const { sdk } = load(() => ({ status: 200, body: { ok: true, thread: { id: "thr_1" }, more: 1 } }));
    assert.deepEqual(await sdk.threads.get({ threadId: "thr_1" }), { id: "thr_1" });
    assert.deepEqual(await sdk.threads.output({ threadId: "thr_1" }), { thread: { id: "thr_1" }, more: 1 });
  });

  const refused = [
    ["no argument", (sdk) => sdk.threads.get(), "sdk.threads.get: needs one object { threadId }, got undefined"],
    ["an argument that is no object", (sdk) => sdk.plugins.list("x"), "sdk.plugins.list: needs one object, got a string"],
    ["a missing member", (sdk) => sdk.threads.send({ threadId: "t", input: [] }), 'sdk.threads.send: "mode" is missing'],
    ["an id that is no text", (sdk) => sdk.threads.get({ threadId: 5 }), 'sdk.threads.get: "threadId" must be non-empty text, is a number'],
    ["a signal that is none", (sdk) => sdk.plugins.list({ signal: {} }), "sdk.plugins.list: signal must be an AbortSignal, is an object"],
    ["a body that is not JSON", (sdk) => sdk.threads.spawn({ projectId: "p", prompt: 1n }), "sdk.threads.spawn: the argument is not JSON: value.prompt is a bigint"],
    ["two ways to wait", (sdk) => sdk.threads.wait({ threadId: "t", status: "idle", event: "x" }), 'sdk.threads.wait: needs exactly one of "status" and "event"'],
  ];
  for (const [what, call, message] of refused) {
    it(`rejects ${what} without a request`, async () => {
      const { sdk, requests: sent } = load();
      const { error } = await outcomeOf(() => call(sdk));
      assert.equal(error.name, "TypeError");
      assert.equal(error.message, message);
      assert.deepEqual(sent, []);
    });
  }

  it("rejects failures with HttpError", async () => {
    const { sdk } = load(failing(409, { code: "conflict", message: "busy", details: { a: 1 } }));
    const { error } = await outcomeOf(() => sdk.threads.stop({ threadId: "t" }));
    assert.deepEqual({ name: error.name, status: error.status, code: error.code, message: error.message, details: error.details },
      { name: "HttpError", status: 409, code: "conflict", message: "busy", details: { a: 1 } });
  });

  it("keeps a record that does not exist apart from a route that does not", async () => {
    const get = (code, message) => outcomeOf(() => load(failing(404, { code, message })).sdk.threads.get({ threadId: "t" }));
    // Whatever it says: the code decides.
    const missing = await get("not_found", "unknown route: GET /api/v1/threads/t");
    assert.equal(missing.error.code, "not_found");
    const { error } = await get("unknown_route", "in other words");
    assert.deepEqual([error.name, error.status, error.code], ["HttpError", 501, "not_supported"]);
    assert.match(error.message, /^svc.sdk.threads.get is not supported/);
  });

  it("rejects what is only named without a request", async () => {
    const { sdk, requests: sent } = load();
    for (const call of [sdk.skills.registry.list, sdk.guide.render, sdk.threads.cancelPlan, sdk.hosts.suspend]) {
      const { error } = await outcomeOf(() => call({}));
      assert.deepEqual([error.name, error.status, error.code], ["HttpError", 501, "not_supported"]);
    }
    assert.deepEqual(sent, []);
  });

  it("rejects an answer that is not JSON, and a request the service does not take", async () => {
    const odd = await outcomeOf(() => load(() => ({ status: 200, body: "<html>" })).sdk.plugins.list());
    assert.match(odd.error.message, /the service answered 200 without JSON/);
    const { error } = await outcomeOf(() => load(() => { throw Object.assign(new Error("full"), { code: "overloaded" }); }).sdk.plugins.list());
    assert.deepEqual([error.name, error.code, error.message], ["HttpError", "overloaded", "svc.sdk.plugins.list: full"]);
  });

  it("gives up when its signal aborts", async () => {
    const { sdk, runtime, requests: sent } = load(() => new Promise(() => undefined));
    const controller = new AbortController();
    const running = outcomeOf(() => sdk.plugins.list({ signal: controller.signal }));
    controller.abort();
    assert.equal((await running).error.name, "AbortError");
    assert.deepEqual(runtime.argumentsOf("sdk.cancel"), [sent[0].id]);
    assert.equal((await outcomeOf(() => sdk.plugins.list({ signal: AbortSignal.abort() }))).error.name, "AbortError");
    assert.equal(sent.length, 1);
  });

  it("gives up after sdkTimeout, later where it waits on purpose", async () => {
    const { sdk, runtime } = load(() => new Promise(() => undefined));
    const running = outcomeOf(() => sdk.plugins.list());
    let settled = false;
    const waiting = outcomeOf(() => sdk.threads.events.wait({ threadId: "t", type: "x", waitMs: 30_000 })).finally(() => { settled = true; });
    await Promise.resolve();
    mock.timers.tick(75_000);
    const { error } = await running;
    assert.equal(error.name, "RequestTimeoutError");
    assert.equal(error.message, "svc.sdk.plugins.list had no answer within 75000 ms (limit sdkTimeout)");
    assert.deepEqual(runtime.argumentsOf("sdk.cancel").length, 1);
    assert.equal(settled, false);
    mock.timers.tick(30_000);
    assert.equal((await waiting).error.name, "RequestTimeoutError");
  });

  it("is stale after the load has ended", async () => {
    const { sdk, api } = load();
    api.stale = true;
    assert.throws(() => sdk.plugins.list(), { name: "PluginContextStaleError" });
  });
});

describe("svc.sdk.plugins.callRpc", () => {
  it("sends the input alone and returns the result", async () => {
    const { sdk, requests: sent } = load(() => ({ status: 200, body: { ok: true, result: { n: 1 } } }));
    assert.deepEqual(await sdk.plugins.callRpc({ pluginId: "other", method: "notes.add", input: [1] }), { n: 1 });
    await sdk.plugins.callRpc({ pluginId: "other", method: "list" });
    assert.deepEqual(sent.map(({ verb, target, body }) => [verb, target, body]), [
      ["POST", "/api/v1/plugins/other/rpc/notes.add", "[1]"], ["POST", "/api/v1/plugins/other/rpc/list", ""],
    ]);
  });

  it("checks the result with outputSchema", async () => {
    const { sdk } = load(() => ({ status: 200, body: { ok: true, result: { n: "1" } } }));
    const call = (outputSchema) => outcomeOf(() => sdk.plugins.callRpc({ pluginId: "o", method: "m", outputSchema }));
    assert.deepEqual((await call(z.object({ n: z.coerce.number() }))).value, { n: 1 });
    const { error } = await call(z.object({ n: z.number() }));
    assert.deepEqual([error.name, error.code], ["HttpError", "invalid_output"]);
    assert.match((await call({})).error.message, /outputSchema must be a Standard Schema/);
  });
});

describe("svc.sdk.subscribe", () => {
  it("announces what is waited for and delivers it", () => {
    const { sdk, api, runtime } = load();
    const seen = [];
    const stop = sdk.subscribe({ event: "system:changed", callback: (notice) => seen.push(notice) });
    const notify = () => runtime.handlers.get("sdk.notify")("system:changed", '{"changes":["plugins-changed"]}', new FakeCall());
    assert.deepEqual(api.registrations.get("sdk-subscriptions"), ["system:changed"]);
    notify();
    mock.timers.tick(0);
    assert.deepEqual(seen, [{ changes: ["plugins-changed"] }]);
    stop();
    assert.deepEqual(api.registrations.get("sdk-subscriptions"), []);
    notify();
    mock.timers.tick(0);
    assert.equal(seen.length, 1);
  });

  it("says once that it is connected", () => {
    const { sdk } = load();
    const seen = [];
    sdk.subscribe({ event: "realtime:connection", callback: (notice) => seen.push(notice) });
    assert.deepEqual(seen, []);
    mock.timers.tick(0);
    assert.deepEqual(seen, [{ changes: ["connected"] }]);
  });

  it("refuses unknown events and callbacks that are no functions", () => {
    const { sdk } = load();
    assert.throws(() => sdk.subscribe({ event: "x", callback: () => undefined }), { message: /^sdk.subscribe: unknown event "x"; events are thread:changed/ });
    assert.throws(() => sdk.subscribe({ event: "thread:changed" }), { message: /callback must be a function, is undefined/ });
  });
});

describe("svc.server.experimental_hostId", () => {
  const part = loadBundle("modules/sdkclient/js/sdk.ts").default;

  function serverWith(answers) {
    const runtime = new FakeRuntime();
    const asked = [];
    runtime.callSync = (name) => {
      asked.push(name);
      return answers.shift();
    };
    const api = new FakeApi();
    api.svc.server = { experimental_hostId: null };
    part(runtime, api);
    return { server: api.svc.server, asked };
  }

  it("is the id of the server's own machine, asked for once", () => {
    const { server, asked } = serverWith(['"host_a"']);
    assert.equal(server.experimental_hostId, "host_a");
    assert.equal(server.experimental_hostId, "host_a");
    assert.deepEqual(asked, ["sdk.hostId"]);
  });

  it("is null while the service knows no machines", () => {
    const { server } = serverWith(["null", undefined, '"host_a"']);
    assert.equal(server.experimental_hostId, null);
    assert.equal(server.experimental_hostId, null);
    assert.equal(server.experimental_hostId, "host_a");
  });
});
