// A real svc-hostd, the server's end played here, and a scripted agent: what the module does across processes and connections.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { PlayedServer } from "./played_server.mjs";

const kAgent = fileURLToPath(new URL("../../support/scripted_agent/scripted_agent.mjs", import.meta.url));
const kDaemon = process.env.SVC_TEST_HOSTD ?? "svc-hostd";

/** @param {(at: any) => Promise<void>} body @param {string[]} [flags] */
async function withDaemon(body, flags = []) {
  const directory = mkdtempSync(join(tmpdir(), "agentd-"));
  const server = new PlayedServer();
  const serverUrl = await server.start();
  const data = join(directory, "hostd");
  mkdirSync(data, { mode: 0o700 });
  const credential = { serverUrl, hostId: "host_1", hostKey: "svch_key", hostType: "persistent" };
  writeFileSync(join(data, "auth.json"), JSON.stringify(credential), { mode: 0o600 });
  const connected = once(server, "connected", { signal: AbortSignal.timeout(30_000) });
  let log = "";
  const start = () => {
    const daemon = spawn(kDaemon, ["--data-dir", data, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    daemon.stdout.on("data", (text) => (log += text));
    daemon.stderr.on("data", (text) => (log += text));
    return daemon;
  };
  const at = {
    server,
    data,
    daemon: start(),
    start,
    /** @param {string} sessionId @param {object} script */
    open: (sessionId, script) => {
      const file = join(directory, `${sessionId}.json`);
      writeFileSync(file, JSON.stringify(script));
      const agent = { command: process.execPath, args: [kAgent, file] };
      return server.ask("agent.open", {
        sessionId,
        threadId: `thr_${sessionId}`,
        providerId: "mine",
        cwd: directory,
        agent,
        mcpServers: [],
      });
    },
    /** @param {string} sessionId */
    prompt: (sessionId, turnId = "t1") => server.ask("agent.prompt", { sessionId, turnId, prompt: [{ type: "text", text: "hi" }] }),
  };
  try {
    await connected;
    await body(at);
  } catch (error) {
    console.error(log);
    throw error;
  } finally {
    if (at.daemon.exitCode === null && at.daemon.signalCode === null) {
      at.daemon.kill("SIGKILL");
      await once(at.daemon, "exit");
    }
    server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const kAsk = {
  request: {
    method: "session/request_permission",
    params: { toolCall: { toolCallId: "c", title: "x" }, options: [{ optionId: "y", name: "Y", kind: "allow_once" }] },
  },
};
/** False for one that has ended and is not collected, which is init's affair. @param {number} pid */
function alive(pid) {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
/** Killed processes are gone in an instant. @param {number} pid */
async function gone(pid) {
  for (let look = 0; look < 500 && alive(pid); ++look) {
    await new Promise((again) => setTimeout(again, 10));
  }
  return !alive(pid);
}

test("a turn goes on across a lost connection, and a stopped daemon leaves no agent", async () => {
  await withDaemon(async ({ server, open, prompt, daemon, data }) => {
    const opened = await open("a", {
      turns: [[{ text: "one", split: 1 }, kAsk, { text: "two" }, { start: { argv: ["sleep", "1000"], own: true } }]],
    });
    assert.equal(opened.providerThreadId, "scripted-session");
    await prompt("a");
    const { questionId } = await server.told("a", "question/asked");
    const seq = server.last("a");
    server.tell({ type: "agent.ack", sessionId: "a", seq });
    await server.cut();
    const { sessions } = await server.ask("agent.resume", { sessions: [{ sessionId: "a", seq }] });
    assert.equal(sessions[0].state, "running");
    assert.equal((await server.told("a", "question/asked", 2)).questionId, questionId);
    await server.ask("agent.answer", { sessionId: "a", questionId, decision: "allow_once" });
    assert.equal((await server.told("a", "turn/completed")).status, "completed");
    const texts =
      server.events.get("a")?.flatMap(({ type, data: { item } }) => (type === "item/completed" && item.text ? [item.text] : [])) ?? [];
    assert.equal(texts[0], "one");
    const pid = Number(/pid (\d+)/.exec(texts.join(" "))?.[1]);
    assert.ok(alive(pid));
    daemon.kill("SIGTERM");
    assert.equal((await once(daemon, "exit"))[0], 0);
    assert.ok(await gone(pid));
    assert.deepEqual(readdirSync(join(data, "agents")), []);
  });
});

test("a killed daemon's agents are ended by the next one", async () => {
  await withDaemon(async (at) => {
    const { server, open, prompt } = at;
    await open("a", { survivesEnd: true, turns: [[{ start: { argv: ["sleep", "1000"], own: true } }, { silence: true }]] });
    await prompt("a");
    const pid = Number((await server.told("a", "item/delta")).text.slice(4));
    at.daemon.kill("SIGKILL");
    await once(at.daemon, "exit");
    assert.ok(alive(pid));
    const again = once(server, "connected", { signal: AbortSignal.timeout(30_000) });
    at.daemon = at.start();
    await again;
    // An agent that begins is behind what was left: its start ends that first.
    await open("b", {});
    assert.ok(await gone(pid));
    assert.deepEqual((await server.ask("agent.resume", { sessions: [{ sessionId: "a", seq: 0 }] })).sessions, []);
  });
});

test("agents that are here are listed, and a machine may allow none", async () => {
  await withDaemon(async ({ server }) => {
    const { providers } = await server.ask("agent.providers", { agents: { mine: { command: process.execPath } } });
    const mine = providers.find(({ id }) => id === "mine");
    assert.equal(mine.available, true);
    assert.equal(mine.version, process.versions.node);
    assert.ok(providers.some(({ id }) => id === "claude"));
  });
  await withDaemon(
    async ({ open }) => {
      await assert.rejects(open("a", {}), /forbidden: .*agents\.enabled/);
    },
    ["--agents.enabled=false"],
  );
});
