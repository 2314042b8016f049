import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { outcomeOf } from "../../../support/js/part_harness.mjs";
import { failing, load } from "./sdk_service.mjs";

describe("failures of svc.sdk", () => {
  it("rejects failures with HttpError", async () => {
    const { sdk } = load(failing(409, { code: "conflict", message: "busy", details: { a: 1 } }));
    const { error } = await outcomeOf(() => sdk.threads.stop({ threadId: "t" }));
    assert.deepEqual(
      { name: error.name, status: error.status, code: error.code, message: error.message, details: error.details },
      { name: "HttpError", status: 409, code: "conflict", message: "busy", details: { a: 1 } },
    );
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

  it("rejects an id or a query that is not well-formed text without a request", async () => {
    const { sdk, requests: sent } = load();
    const cases = [
      ["threads.get", "threadId", () => sdk.threads.get({ threadId: "thr_\ud83d" })],
      ["threads.search", "query", () => sdk.threads.search({ query: "cut in the middle of \ud83d" })],
      ["plugins.callRpc", "method", () => sdk.plugins.callRpc({ pluginId: "p", method: "\udc00" })],
      ["projects.attachments.read", "path", () => sdk.projects.attachments.read({ projectId: "p", path: "\udc00" })],
    ];
    for (const [path, name, call] of cases) {
      const { error } = await outcomeOf(call);
      assert.deepEqual([error.name, error.status, error.code], ["HttpError", 400, "invalid_input"], path);
      assert.equal(error.message, `svc.sdk.${path}: "${name}" is not well-formed Unicode text`);
    }
    assert.deepEqual(sent, []);
  });

  it("rejects what is only named without a request", async () => {
    const { sdk, requests: sent } = load();
    for (const call of [
      sdk.skills.registry.list,
      sdk.guide.render,
      sdk.threads.cancelPlan,
      sdk.hosts.suspend,
      sdk.hosts.create,
      sdk.hosts.pickFolder,
      sdk.projects.sidebarBootstrap,
    ]) {
      const { error } = await outcomeOf(() => call({}));
      assert.deepEqual([error.name, error.status, error.code], ["HttpError", 501, "not_supported"]);
    }
    assert.deepEqual(sent, []);
  });

  it("rejects an answer that is not JSON, and a request the service does not take", async () => {
    const odd = await outcomeOf(() => load(() => ({ status: 200, body: "<html>" })).sdk.plugins.list());
    assert.match(odd.error.message, /the service answered 200 without JSON/);
    const { error } = await outcomeOf(() =>
      load(() => {
        throw Object.assign(new Error("full"), { code: "overloaded" });
      }).sdk.plugins.list(),
    );
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
    const waiting = outcomeOf(() => sdk.threads.events.wait({ threadId: "t", type: "x", waitMs: 30_000 })).finally(() => {
      settled = true;
    });
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
