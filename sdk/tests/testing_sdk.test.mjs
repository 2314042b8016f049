// The fake host: svc.sdk and svc.hosts, for which a test answers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createFakePluginHost, makeThreadResponse } from "@get-svc/plugin-sdk/testing";
import { z } from "zod";

const create = (options = {}) => createFakePluginHost({ pluginId: "todo", ...options });

describe("svc.sdk", () => {
  it("answers what the service does not have as the service does, unless it is stubbed", async () => {
    const { svc, harness } = create();
    await assert.rejects(svc.sdk.threads.cancelPlan({ threadId: "thr_1" }), { code: "not_supported", status: 501 });
    harness.sdk.stub("threads.cancelPlan", () => ({ ok: true }));
    assert.deepEqual(await svc.sdk.threads.cancelPlan({ threadId: "thr_1" }), { ok: true });
  });

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

describe("files of machines", () => {
  it("are read and changed in memory", async () => {
    const { svc, harness } = create({ files: { "~/notes/a.md": "one", "/etc/hostname": "mac" } });
    const place = { rootPath: "~/notes", path: "a.md" };
    const { content, sha256, contentEncoding } = await svc.sdk.files.read(place);
    assert.deepEqual([content, contentEncoding], ["one", "utf8"]);
    assert.equal((await svc.sdk.files.write({ ...place, content: "two", expectedSha256: sha256 })).outcome, "written");
    assert.equal((await svc.sdk.files.write({ ...place, content: "three", expectedSha256: sha256 })).outcome, "conflict");
    await assert.rejects(svc.sdk.files.write({ path: "/x/y", content: "" }), { code: "not_found" });
    await svc.sdk.files.write({ path: "/x/y", content: "AP8=", contentEncoding: "base64", createParents: true });
    assert.equal((await svc.sdk.files.read({ path: "/x/y" })).content, "AP8=");
    await assert.rejects(svc.sdk.files.read({ rootPath: "~/notes", path: "../../../etc/hostname" }), {
      code: "host_error",
      details: { code: "forbidden", message: "/etc/hostname is outside of what may be reached" },
    });
    assert.deepEqual((await svc.sdk.files.list({ path: "/", query: "notesmd" })).files, [{ name: "a.md", path: "home/user/notes/a.md" }]);
    const { paths } = await svc.sdk.files.listPaths({ path: "/home", includeFiles: false, includeDirectories: true, limit: 1 });
    assert.deepEqual(paths, [{ kind: "directory", name: "user", path: "user", score: 0, positions: [] }]);
    await assert.rejects(svc.sdk.files.mkdir({ path: "/x" }), { code: "conflict" });
    await svc.sdk.files.move({ sourcePath: "/x", destinationPath: "/z" });
    await assert.rejects(svc.sdk.files.remove({ path: "/z" }), { code: "conflict" });
    await svc.sdk.files.remove({ path: "/z", recursive: true });
    assert.deepEqual(
      [...harness.files],
      [
        ["/etc/hostname", "mac"],
        ["/home/user/notes/a.md", "two"],
      ].reverse(),
    );
    await assert.rejects(svc.sdk.files.createPreview({ rootPath: "/" }), /is not stubbed/);
  });
});

describe("terminals", () => {
  it("are played by the test", async () => {
    const { svc, harness } = create();
    const scope = { kind: "host_path", hostId: "h", cwd: null };
    const { id, status } = await svc.sdk.terminals.create({ scope, cols: 80, rows: 24, start: { mode: "command", command: "make" } });
    assert.deepEqual([status, harness.terminals.commandOf(id)], ["running", "make"]);
    await svc.sdk.terminals.input({ terminalId: id, dataBase64: Buffer.from("y\n").toString("base64") });
    assert.equal(harness.terminals.typed(id), "y\n");
    harness.terminals.print(id, "done");
    const { chunks, nextSeq } = await svc.sdk.terminals.output({ terminalId: id });
    assert.equal(Buffer.from(chunks[0].dataBase64, "base64").toString(), "done");
    assert.deepEqual((await svc.sdk.terminals.output({ terminalId: id, sinceSeq: nextSeq })).chunks, []);
    harness.terminals.exit(id, 2);
    assert.equal((await svc.sdk.terminals.get({ terminalId: id })).exitCode, 2);
    await assert.rejects(svc.sdk.terminals.input({ terminalId: id, dataBase64: "" }), { code: "conflict" });
    const shell = await svc.sdk.terminals.restart({ terminalId: id });
    await svc.sdk.terminals.close({ terminalId: shell.id });
    assert.deepEqual(
      (await svc.sdk.terminals.list()).sessions.map(({ closeReason }) => closeReason),
      ["process-exit", "user"],
    );
    await assert.rejects(svc.sdk.terminals.create({ scope: { kind: "thread", threadId: "t" }, cols: 1, rows: 1 }), { status: 501 });
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

  it("do not wait for the test's answer when the call is aborted or the load ends", async () => {
    const { harness } = create({ experimental_callHostRpc: () => new Promise(() => {}) });
    let client;
    const load = () => harness.lifecycle.reload((svc) => void (client = svc.hosts.experimental_client({ contract })));
    const call = (signal) => client.call("size", { path: "/" }, { hostId: "h", signal });
    await load();
    const controller = new AbortController();
    const aborted = assert.rejects(call(controller.signal), { name: "AbortError", message: 'the call of "size" was aborted' });
    await new Promise(setImmediate);
    controller.abort();
    await aborted;
    for (const end of [load, () => harness.lifecycle.dispose()]) {
      const given = new AbortController();
      const [first, late] = [call(), call(given.signal)].map((pending) =>
        assert.rejects(pending, {
          name: "HostCallError",
          code: "plugin_not_running",
          hostId: "h",
          message: "the plugin was unloaded or reloaded during the call",
        }),
      );
      await new Promise(setImmediate);
      await end();
      await Promise.all([first, late]);
    }
  });

  it("are refused to the hooks of a load that ends", async () => {
    const { harness } = create({ experimental_callHostRpc: () => 5 });
    let code;
    await harness.lifecycle.reload((svc) => {
      const client = svc.hosts.experimental_client({ contract });
      svc.onDispose(() => client.call("size", { path: "/" }, { hostId: "h" }).catch((error) => void (code = error.code)));
    });
    await harness.lifecycle.dispose();
    assert.equal(code, "plugin_not_running");
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
