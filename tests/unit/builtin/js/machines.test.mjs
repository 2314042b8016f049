import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, it, mock } from "node:test";

import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";

import { load } from "../../../support/js/bundle.mjs";

const { default: machines } = load("builtin/machines/server.ts");

const machine = (id, name, more = {}) => ({
  id,
  name,
  role: "machine",
  status: "connected",
  state: "available",
  stateMessage: null,
  lastSeenAt: 1_795_737_600_000,
  ...more,
});
const kOwn = machine("host_0a", "server", { role: "server" });
const kDesk = machine("host_1a", "desk");
const kAway = { status: "disconnected", state: "unavailable", stateMessage: "start svc-hostd" };

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** The plugin with these machines; `tool` answers the text of a call, and `failure` that of one that has to fail. */
function start({ hosts = [kOwn, kDesk], files = {}, sdk = {} } = {}) {
  const notices = [];
  const stubs = { hosts: { list: async () => hosts, ...sdk.hosts }, files: sdk.files ?? {}, terminals: sdk.terminals ?? {} };
  const { svc, harness } = createFakePluginHost({ pluginId: "machines", files, sdk: stubs });
  harness.sdk.stub("subscribe", ({ callback }) => {
    notices.push(callback);
    return () => notices.splice(notices.indexOf(callback), 1);
  });
  machines(svc);
  const call = async (name, params, context) => {
    const { content, isError } = await harness.callAgentTool(name, params, context);
    return { text: content.map(({ text }) => text).join("\n"), isError };
  };
  return {
    harness,
    call,
    tool: async (name, params) => {
      const { text, isError } = await call(name, params);
      assert.equal(isError, false, text);
      return text;
    },
    failure: async (name, params) => {
      const { text, isError } = await call(name, params);
      assert.equal(isError, true, text);
      return text;
    },
    /** The terminal of the command that runs now. */
    terminal: async () => {
      await turns();
      return harness.terminals.records.at(-1);
    },
    notify: () => notices.forEach((notice) => notice({ type: "changed", entity: "host", changes: ["terminals-changed"] })),
    notices,
  };
}

/** Lets everything go on that waits for no time. */
async function turns() {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
  }
}

/** As `turns`, after time has passed. */
async function pass(ms) {
  mock.timers.tick(ms);
  await turns();
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_795_737_600_000 }));
afterEach(() => mock.timers.reset());

describe("machine_list", () => {
  it("says of each machine what it is called and whether it is there", async () => {
    const hosts = [kOwn, machine("host_1a", "desk", kAway), machine("host_2a", "new", { ...kAway, stateMessage: null, lastSeenAt: null })];
    assert.equal(
      await start({ hosts }).tool("machine_list", {}),
      [
        "server (host_0a): the server's own machine, connected",
        "desk (host_1a): not connected, last seen 2026-11-27 00:00 UTC. start svc-hostd",
        "new (host_2a): has never been connected",
      ].join("\n"),
    );
  });
});

describe("the machine that is meant", () => {
  const files = { "/etc/motd": "hello\n" };
  const read = (machine_, hosts) => start({ files, hosts }).call("machine_read", { machine: machine_, path: "/etc/motd" });

  for (const wanted of ["desk", "host_1a", "de", "DE", "host_1"]) {
    it(`is found as "${wanted}"`, async () => assert.match((await read(wanted)).text, /^\/etc\/motd on desk: /));
  }

  it("is the one whose whole name it is", async () => {
    const hosts = [kOwn, machine("host_1a", "desk2"), machine("host_2a", "desk")];
    assert.match((await read("desk", hosts)).text, /on desk: /);
  });

  it("has to be one of those there are, which the answer names", async () => {
    const unknown = await read("tower");
    assert.equal(unknown.isError, true);
    assert.match(unknown.text, /^There is no machine "tower"\. Those there are:\nserver \(host_0a\).*\ndesk \(host_1a\)/);
    const several = await read("host_");
    assert.equal(several.isError, true);
    assert.match(several.text, /^Several machines begin with "host_"\..*\nserver .*\ndesk /);
  });

  it("is the server's own, or the only one that was ever there", async () => {
    const never = { ...kOwn, ...kAway, lastSeenAt: null };
    assert.match((await read(undefined)).text, /on server: /);
    assert.match((await read(undefined, [never, kDesk])).text, /on desk: /);
    assert.match((await read(undefined, [{ ...kOwn, ...kAway }, kDesk])).text, /^Say which machine: .*\nserver .*\ndesk /s);
    assert.match((await read(undefined, [never])).text, /svc machine enroll/);
  });
});

describe("machine_run", () => {
  it("runs a command where it is wanted, and answers its exit code and output", async () => {
    const { tool, terminal, harness, notify, notices } = start();
    const answer = tool("machine_run", { machine: "desk", command: "make all", cwd: "~/project" });
    const { id, scope, cols, title } = await terminal();
    assert.deepEqual(scope, { kind: "host_path", hostId: "host_1a", cwd: "~/project" });
    assert.deepEqual([cols, title], [120, "make all"]);
    assert.match(harness.terminals.commandOf(id), /PAGER=cat.*; make all$/);
    harness.terminals.print(id, "\x1b[32mmade\x1b[0m\r\n");
    mock.timers.tick(1_500);
    harness.terminals.exit(id, 0);
    notify();
    assert.equal(await answer, "exit code 0 after 1.5 s on desk\n\nmade\n");
    assert.equal(notices.length, 0);
  });

  it("fails with a command that fails", async () => {
    const { failure, terminal, harness, notify } = start();
    const answer = failure("machine_run", { command: "false" });
    harness.terminals.exit((await terminal()).id, 3);
    notify();
    assert.equal(await answer, "exit code 3 after 0.0 s on server\n\n(no output)");
  });

  it("is called by the first line of its command", async () => {
    for (const [command, title] of [
      ["\n make\x1b[1m\tall \nls", "make [1m all"],
      ["ä".repeat(300), "ä".repeat(200)],
      [" ", "command"],
    ]) {
      const { tool, terminal, harness, notify } = start();
      const answer = tool("machine_run", { command });
      const { id, title: given } = await terminal();
      assert.equal(given, title);
      harness.terminals.exit(id, 0);
      notify();
      await answer;
    }
  });

  it("sees an end that no notice has told of", async () => {
    const { tool, terminal, harness } = start();
    const answer = tool("machine_run", { command: "true" });
    harness.terminals.exit((await terminal()).id, 0);
    await pass(2_000);
    assert.match(await answer, /^exit code 0 after 2\.0 s/);
  });

  it("is ended by force when its time is over, and says what had come", async () => {
    const { failure, terminal, harness } = start();
    const answer = failure("machine_run", { command: "sleep 100", timeoutSeconds: 3 });
    const { id } = await terminal();
    harness.terminals.print(id, "begun\r\n");
    await pass(2_000);
    assert.deepEqual(harness.sdk.callsTo("terminals.close"), []);
    await pass(1_000);
    assert.match(await answer, /^no end after 3\.0 s on server: it was ended by force\n.*timeoutSeconds.*\n\nbegun\n$/);
    assert.deepEqual(harness.sdk.callsTo("terminals.close")[0].args, [{ terminalId: id, mode: "force" }]);
  });

  it("is ended by force when nobody waits any more", async () => {
    const { call, terminal, harness, notices } = start();
    const gone = new AbortController();
    const answer = call("machine_run", { command: "sleep 100" }, { signal: gone.signal });
    const { id } = await terminal();
    gone.abort();
    await answer;
    await turns();
    assert.deepEqual(harness.sdk.callsTo("terminals.close")[0].args, [{ terminalId: id, mode: "force" }]);
    assert.equal(notices.length, 0);
  });

  it("tells how long it runs and what it printed last", async () => {
    const { harness, terminal } = start();
    const reports = [];
    const answer = harness.callAgentTool("machine_run", { command: "make" }, { onProgress: (report) => reports.push(report) });
    const { id } = await terminal();
    harness.terminals.print(id, "one\r\n\x1b[1mtwo\x1b[0m\r\n");
    await pass(2_000);
    assert.deepEqual(reports, [{ progress: 2, message: "two" }]);
    harness.terminals.exit(id, 0);
    await pass(2_000);
    await answer;
  });

  it("answers the end of a long output, and where the rest is", async () => {
    const { tool, terminal, harness, notify } = start();
    const answer = tool("machine_run", { command: "seq 1 20000" });
    const { id } = await terminal();
    harness.terminals.print(id, Array.from({ length: 20_000 }, (_, index) => `${index + 1}\r\n`).join(""));
    harness.terminals.exit(id, 0);
    notify();
    const text = await answer;
    assert.match(text, new RegExp(`\nThe first 74\\.3 KiB of its output are left out; \`svc terminal output ${id}\` has them`));
    assert.match(text, /\n\n(\d+\n)+20000\n$/);
    assert.ok(text.length < 34_000, String(text.length));
  });

  const record = (more) => ({
    sdk: { terminals: { get: async () => ({ status: "exited", closeReason: "process-exit", exitCode: 0, ...more }) } },
  });

  it("says when more came than is kept, and when the machine was lost or somebody has ended it", async () => {
    const output = async () => ({
      chunks: [{ seq: 9, dataBase64: Buffer.from("lf\r\nwhole\r\n").toString("base64") }],
      nextSeq: 10,
      truncated: true,
    });
    const { sdk } = record({});
    const kept = await start({ sdk: { terminals: { ...sdk.terminals, output } } }).tool("machine_run", { command: "yes" });
    assert.match(kept, /\nOnly its end is shown: .*\n\nwhole\n$/);
    const lost = await start(record({ status: "disconnected" })).failure("machine_run", { command: "a", machine: "desk" });
    assert.match(lost, /^desk is not connected any more: the command may go on there.*`svc terminal output term_1`/);
    const closed = await start(record({ closeReason: "user", exitCode: 129 })).failure("machine_run", { command: "a" });
    assert.match(closed, /^ended from outside after 0\.0 s on server/);
  });

  it("says what to do when the machine is away", async () => {
    const create = async () => {
      throw Object.assign(new Error("it is not connected"), { name: "HttpError", code: "host_unavailable" });
    };
    const answer = await start({ sdk: { terminals: { create } } }).failure("machine_run", { command: "a", machine: "desk" });
    assert.equal(answer, "desk: it is not connected\nmachine_list says which machines are connected.");
  });
});

describe("files of machines", () => {
  it("are listed", async () => {
    const entries = [
      { name: "logs", path: "/srv/logs", kind: "directory", modifiedAt: 1_795_737_600_000 },
      { name: "a.txt", path: "/srv/a.txt", kind: "file", sizeBytes: 2_048, isSymlink: true },
      { name: "b.txt", path: "/srv/b.txt", kind: "file" },
    ];
    const asked = [];
    const directory = async ({ hostId, path }) => (asked.push([hostId, path]), { ok: true, directory: "/srv", parent: "/", entries });
    const { tool } = start({ sdk: { hosts: { directory } } });
    assert.equal(
      await tool("machine_files", { machine: "desk", path: "/srv", limit: 2 }),
      "/srv on desk: 3 entries\nlogs/  (2026-11-27 00:00 UTC)\na.txt  (2.0 KiB, a link)\n… and 1 more: give a higher limit, or a query.",
    );
    await tool("machine_files", {});
    assert.deepEqual(asked, [
      ["host_1a", "/srv"],
      ["host_0a", "~"],
    ]);
  });

  it("are found below a folder", async () => {
    const { tool, harness } = start({ files: { "/srv/logs/web.log": "", "/srv/readme.md": "" } });
    assert.equal(
      await tool("machine_files", { path: "/srv", query: "log" }),
      'Below /srv on server: 2 paths fit "log", best first\nlogs/\nlogs/web.log',
    );
    assert.equal(harness.sdk.callsTo("files.listPaths")[0].args[0].limit, 200);
  });

  it("are read as a whole, exactly as they are", async () => {
    const { tool } = start({ files: { "/a.txt": "one\n two", "/empty": "" } });
    assert.equal(
      await tool("machine_read", { path: "/a.txt" }),
      `/a.txt on server: 2 lines, 8 B, sha256 ${sha256("one\n two")}\none\n two`,
    );
    assert.match(await tool("machine_read", { path: "/empty" }), /^\/empty on server is empty/);
  });

  it("are read by lines", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`);
    const { tool, failure } = start({ files: { "/a.txt": lines.join(""), "/wide.txt": `${"x".repeat(70_000)}\nend\n` } });
    assert.match(
      await tool("machine_read", { path: "/a.txt", fromLine: 4_999 }),
      /: lines 4999 to 5000 of 5000, [^\n]*\nline 4999\nline 5000\n$/,
    );
    assert.match(
      await tool("machine_read", { path: "/a.txt", fromLine: 2, lines: 1 }),
      /: lines 2 to 2 of 5000, [^\n]*\nMore: machine_read with fromLine 3\.\nline 2\n$/,
    );
    assert.match(await tool("machine_read", { path: "/a.txt" }), /: lines 1 to 2000 of 5000, /);
    assert.match(await failure("machine_read", { path: "/a.txt", fromLine: 5_001 }), /has 5000 lines: fromLine 5001 is behind its end/);
    assert.match(
      await tool("machine_read", { path: "/wide.txt" }),
      /: lines 1 to 1 of 2, [^\n]*\nLine 1 is longer than 64\.0 KiB and is cut; [^\n]*\nx{65536}$/,
    );
  });

  it("that are no text are not shown", async () => {
    const { tool, harness } = start({ files: { "/a.bin": "a\0b" } });
    assert.equal(
      await tool("machine_read", { path: "/a.bin" }),
      `/a.bin on server is no text and is not shown: 3 B, sha256 ${sha256("a\0b")}`,
    );
    assert.equal(harness.sdk.callsTo("files.read").length, 1);
  });

  it("that are not there are said to be so", async () => {
    assert.match(
      await start().failure("machine_read", { path: "/nope" }),
      /^server: \/nope does not exist\nmachine_files shows what is there\.$/,
    );
  });

  it("are created, and replaced only by who has read them", async () => {
    const { tool, failure, harness } = start();
    assert.match(await tool("machine_write", { path: "/a.txt", content: "one\n" }), /^\/a\.txt on server is written: 4 B, sha256 /);
    assert.match(
      await failure("machine_write", { path: "/a.txt", content: "two\n" }),
      /is there already; nothing was written\. Read it with machine_read/,
    );
    const replaces = sha256("one\n");
    await tool("machine_write", { path: "/a.txt", content: "two\n", replaces: replaces.toUpperCase() });
    assert.deepEqual([...harness.files], [["/a.txt", "two\n"]]);
    const late = await failure("machine_write", { path: "/a.txt", content: "three\n", replaces });
    assert.match(late, /is not what you have read: it was changed since; nothing was written/);
    assert.ok(!late.includes(sha256("two\n")), late);
    assert.match(
      await failure("machine_write", { path: "/gone.txt", content: "", replaces }),
      /is not there any more; nothing was written/,
    );
    assert.deepEqual([...harness.files], [["/a.txt", "two\n"]]);
  });
});

describe("svc machines run", () => {
  it("prints what the command printed, and ends as it did", async () => {
    const { harness, terminal, notify } = start();
    const answer = harness.runCli(["run", "desk", "--cwd", "/srv", "--", "ls", "-l"]);
    const { id, scope } = await terminal();
    assert.equal(scope.cwd, "/srv");
    assert.match(harness.terminals.commandOf(id), /; ls -l$/);
    harness.terminals.print(id, "a\r\n");
    harness.terminals.exit(id, 7);
    notify();
    assert.deepEqual(await answer, { exitCode: 7, stdout: "a\n", stderr: "" });
  });

  it("ends with 124 when its time is over", async () => {
    const { harness, terminal } = start();
    const answer = harness.runCli(["run", "desk", "--timeout", "1s", "--", "sleep 9"]);
    await terminal();
    await pass(1_000);
    const { exitCode, stderr } = await answer;
    assert.equal(exitCode, 124);
    assert.equal(stderr, "no end after 1.0 s on desk: it was ended by force");
  });

  it("wants a command and a machine that there is", async () => {
    const { harness } = start();
    assert.equal((await harness.runCli(["run", "desk"])).exitCode, 2);
    const unknown = await harness.runCli(["run", "tower", "--", "ls"]);
    assert.equal(unknown.exitCode, 1);
    assert.match(unknown.stderr, /There is no machine "tower"/);
  });
});
