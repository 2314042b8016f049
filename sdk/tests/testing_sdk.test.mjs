// The fake host: svc.sdk and svc.hosts, for which a test answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
      status: 403,
      code: "forbidden",
      message: "/home/user/notes/../../../etc/hostname is outside of what may be reached",
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

  it("refuse what a machine refuses", async () => {
    const { svc, harness } = create({ files: { "/t/a.md": "tea", "/t/d/b": "b" } });
    const notValid = (what) => `the request is not valid: ${what}`;
    const outside = (path) => `${path} is outside of what may be reached`;
    const listing = { includeFiles: true, includeDirectories: true };
    for (const [method, argument, code, message] of [
      ["read", { path: "x", rootPath: "t" }, "invalid_input", 'rootPath: "t" is not absolute'],
      ["read", { path: "x", rootPath: "/u" }, "not_found", "/u does not exist"],
      ["read", { path: "a", rootPath: "/t/a.md" }, "invalid_input", "/t/a.md: a part of it is not a directory"],
      ["read", { path: "../x", rootPath: "/t" }, "forbidden", outside("/t/../x")],
      ["write", { path: "../x", content: "", rootPath: "/t" }, "forbidden", outside("/t/../x")],
      ["mkdir", { path: "/u", recursive: true, rootPath: "/t" }, "forbidden", outside("/u")],
      ["remove", { path: "/t", recursive: true, rootPath: "/t" }, "forbidden", outside("/")],
      ["read", { path: "t/a.md" }, "invalid_input", 'path: "t/a.md" is not absolute; begin it with / or ~/'],
      ["read", { path: "" }, "invalid_input", "path: a path is not empty"],
      ["read", { path: 5 }, "invalid_input", notValid("path: Expected a string")],
      ["read", { path: "/t/a.md", hostId: "" }, "invalid_input", notValid("hostId: Expected the id of a machine")],
      ["read", { path: "/t/a.md/x" }, "invalid_input", "/t/a.md/x: a part of it is not a directory"],
      ["read", { path: "/t/a.md/" }, "invalid_input", "/t/a.md/: a part of it is not a directory"],
      ["read", { path: "/t/e/../a.md" }, "not_found", "/t/e/../a.md does not exist"],
      ["read", { path: "/t" }, "invalid_input", "/t is a directory"],
      ["write", { path: "/t/\0", content: "" }, "invalid_input", "path: a path has no null characters"],
      ["write", { path: "/t/..", content: "", createParents: true }, "invalid_input", "/ is a directory"],
      ["write", { path: "/t/c", content: 5 }, "invalid_input", notValid("content: Expected a string")],
      [
        "write",
        { path: "/t/c", content: "A*", contentEncoding: "base64" },
        "invalid_input",
        notValid("content: Expected Base64 with its padding"),
      ],
      [
        "write",
        { path: "/t/c", content: "", contentEncoding: "hex" },
        "invalid_input",
        notValid('contentEncoding: Expected "utf8" or "base64"'),
      ],
      [
        "write",
        { path: "/t/c", content: "", mode: 0o4755 },
        "invalid_input",
        notValid("mode: Expected a number from 0 to 511 (octal 777)"),
      ],
      [
        "write",
        { path: "/t/c", content: "", expectedSha256: 1 },
        "invalid_input",
        notValid("expectedSha256: Expected a SHA-256 in hexadecimal, or null"),
      ],
      ["write", { path: "/t/c", content: "", createParents: 1 }, "invalid_input", notValid("createParents: Expected true or false")],
      ["write", { path: "/t/a.md/c", content: "", createParents: true }, "invalid_input", "/t/a.md/c: a part of it is not a directory"],
      ["write", { path: `/t/${"x".repeat(256)}`, content: "" }, "invalid_input", "path: the name is too long for this machine"],
      ["list", { path: "/t", limit: 0 }, "invalid_input", notValid("limit: Expected a number from 1 to 5000 (limit listing), not 0")],
      ["list", { path: "/t/a.md" }, "invalid_input", "/t/a.md is not a directory"],
      ["listPaths", { path: "/t" }, "invalid_input", notValid("includeFiles: Required: true or false")],
      ["listPaths", { path: "/u", ...listing }, "not_found", "/u does not exist"],
      ["mkdir", { path: "/t/a.md", recursive: true }, "invalid_input", "/t/a.md: a part of it is not a directory"],
      ["mkdir", { path: "/u/v" }, "not_found", "/u does not exist"],
      ["move", { sourcePath: "/t/d/b", destinationPath: "/t/u/z" }, "not_found", "/t/u does not exist"],
      ["move", { sourcePath: "/t/d", destinationPath: "/t/d/z" }, "invalid_input", "cannot move /t/d there"],
      ["move", { sourcePath: "/t/d", destinationPath: "/t/a.md" }, "conflict", "/t/a.md exists already"],
      ["remove", { path: "/" }, "invalid_input", "path: / has no name"],
    ]) {
      const status = { invalid_input: 400, forbidden: 403, not_found: 404, conflict: 409 }[code];
      await assert.rejects(svc.sdk.files[method](argument), { name: "HttpError", status, code, message }, `${method} ${message}`);
    }
    assert.deepEqual([...harness.files.keys()], ["/t/a.md", "/t/d/b"]);
  });

  it("have the media type of their name, from the table of the service", async () => {
    const source = readFileSync(new URL("../../modules/common/src/media_type.cpp", import.meta.url), "utf8");
    const table = [...source.matchAll(/\{"(\w+)", "(\w+\/[^"]+)"\}/g)].map(([, ending, type]) => [`/${ending}.${ending}`, type]);
    assert.ok(table.length > 50);
    const { svc } = create({ files: Object.fromEntries([...table, ["/none", ""], ["/a.odd", ""]].map(([path]) => [path, ""])) });
    for (const [path, type] of [...table, ["/none"], ["/a.odd"]]) {
      assert.equal((await svc.sdk.files.read({ path })).mimeType, type, path);
    }
  });
});

describe("signals of calls", () => {
  it("end calls that nobody answers, also those that are made of others", async () => {
    const pending = () => new Promise(() => {});
    const { svc } = createFakePluginHost({ pluginId: "x", sdk: { threads: { wait: pending, get: pending }, status: { get: pending } } });
    for (const call of [
      (signal) => svc.sdk.threads.wait({ threadId: "t", status: "idle", signal }),
      (signal) => svc.sdk.threads.get({ threadId: "t", signal }),
      (signal) => svc.sdk.status.get({ signal }),
    ]) {
      const caller = new AbortController();
      const ended = assert.rejects(call(caller.signal), { name: "AbortError" });
      caller.abort();
      await ended;
    }
  });
});

describe("terminals", () => {
  it("are listed by machine, and a running program is closed by force only", async () => {
    const { svc, harness } = createFakePluginHost({ pluginId: "x" });
    const open = (hostId, start) =>
      svc.sdk.terminals.create({ scope: { kind: "host_path", hostId, cwd: null }, cols: "80", rows: 24, ...(start && { start }) });
    const { id: terminalId, cols } = await open("host_a", { mode: "command", command: "sleep 100" });
    assert.equal(cols, 80);
    const shell = await open("host_b");
    const listed = async (query) => (await svc.sdk.terminals.list(query)).sessions.map(({ id }) => id);
    assert.deepEqual(await listed({ hostId: "host_a" }), [terminalId]);
    assert.deepEqual(await listed({ kind: "host_path" }), [terminalId, shell.id]);
    assert.deepEqual(await listed({ threadId: "thr_1" }), []);
    const message = "a program runs in this terminal; mode force ends it";
    await assert.rejects(svc.sdk.terminals.close({ terminalId }), { code: "conflict", message });
    await svc.sdk.terminals.close({ terminalId, mode: "force" });
    await svc.sdk.terminals.close({ terminalId: shell.id });
    assert.deepEqual(
      harness.terminals.records.map(({ status }) => status),
      ["exited", "exited"],
    );
  });

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

  it("refuse what the service refuses", async () => {
    const { svc } = create();
    const scope = { kind: "host_path", hostId: "h", cwd: null };
    const size = { cols: 80, rows: 24 };
    const { id: terminalId } = await svc.sdk.terminals.create({ scope: { ...scope, cwd: "~/x" }, ...size });
    assert.equal((await svc.sdk.terminals.get({ terminalId })).initialCwd, "/home/user/x");
    const notValid = (what) => `the request is not valid: ${what}`;
    const noSize = (name) => notValid(`${name}: Expected a whole number from 1 to 1000 (limit terminalSize)`);
    for (const [method, argument, code, message] of [
      ["create", { scope: { kind: "moon" }, ...size }, "invalid_input", /scope: Expected \{ kind: "host_path", hostId, cwd \}/],
      ["create", { scope: { ...scope, hostId: "" }, ...size }, "invalid_input", notValid("scope.hostId: Expected the id of a machine")],
      ["create", { scope: { ...scope, cwd: 5 }, ...size }, "invalid_input", notValid("scope.cwd: Expected a string or null")],
      ["create", { scope: { ...scope, cwd: "x" }, ...size }, "invalid_input", 'cwd: "x" is not absolute; begin it with / or ~/'],
      ["create", { scope, cols: 0, rows: 24 }, "invalid_input", noSize("cols")],
      ["create", { scope, ...size, start: { mode: "command" } }, "invalid_input", /start: Expected \{ mode: "shell" \}/],
      [
        "create",
        { scope, ...size, title: "" },
        "invalid_input",
        notValid("title: Expected 1 to 200 characters (limit terminalTitle), got 0"),
      ],
      ["rename", { terminalId, title: "a\x1b" }, "invalid_input", notValid("title: it has the control character U+001B")],
      ["resize", { terminalId, cols: 80, rows: 1001 }, "invalid_input", noSize("rows")],
      ["input", { terminalId, dataBase64: "A*" }, "invalid_input", notValid("dataBase64: Expected Base64 with its padding")],
      [
        "input",
        { terminalId, dataBase64: Buffer.alloc(70_000).toString("base64") },
        "too_large",
        "the input has 70000 bytes (limit terminalInput: 65536)",
      ],
      ["output", { terminalId, sinceSeq: -1 }, "invalid_input", notValid("sinceSeq: Expected a whole number from 0")],
      ["output", { terminalId, waitMs: 25_001 }, "invalid_input", notValid("waitMs: at most 25000 (limit logWait), got 25001")],
      ["close", { terminalId, mode: "soft" }, "invalid_input", notValid('mode: Expected "force" or "if-clean"')],
    ]) {
      await assert.rejects(svc.sdk.terminals[method](argument), { name: "HttpError", code, message }, `${method} ${message}`);
    }
    for (let count = 1; count < 64; ++count) {
      await svc.sdk.terminals.create({ scope, ...size });
    }
    await assert.rejects(svc.sdk.terminals.create({ scope, ...size }), {
      code: "overloaded",
      message: "this machine has 64 terminals (limit terminals: 64); close one first",
    });
  });

  it("keep as much output as the service", async () => {
    const { svc, harness } = create();
    const scope = { kind: "host_path", hostId: "h", cwd: null };
    const { id: terminalId } = await svc.sdk.terminals.create({ scope, cols: 80, rows: 24 });
    for (const letter of "abcd") {
      harness.terminals.print(terminalId, letter.repeat(300_000));
    }
    const texts = async (query) => {
      const { chunks, nextSeq, truncated } = await svc.sdk.terminals.output({ terminalId, ...query });
      const shown = chunks.map(({ seq, dataBase64 }) => [seq, Buffer.from(dataBase64, "base64").toString().slice(0, 1)]);
      return [shown, nextSeq, truncated];
    };
    assert.deepEqual(await texts({}), [
      [
        [1, "b"],
        [2, "c"],
        [3, "d"],
      ],
      4,
      true,
    ]);
    assert.deepEqual(await texts({ sinceSeq: 2, limitChunks: 1 }), [[[2, "c"]], 3, false]);
    assert.deepEqual(await texts({ sinceSeq: 9 }), [[], 9, false]);
    const { chunks } = await svc.sdk.terminals.output({ terminalId, tailBytes: 300_002 });
    assert.deepEqual(
      chunks.map(({ dataBase64 }) => Buffer.from(dataBase64, "base64").length),
      [2, 300_000],
    );
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

  it("tell every listener of an exit, and of every one that fails", async () => {
    const { svc, harness } = create();
    const client = svc.hosts.experimental_client({ contract });
    const seen = [];
    for (const name of ["first", "second"]) {
      client.experimental_onWorkerExit(() => {
        seen.push(name);
        throw new Error(name);
      });
    }
    await assert.rejects(harness.emitHostWorkerExit({ hostId: "h" }), { message: "first" });
    assert.deepEqual(seen, ["first", "second"]);
    assert.deepEqual(
      harness.logEntries.map(({ level, message }) => [level, message]),
      [["error", "second"]],
    );
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
