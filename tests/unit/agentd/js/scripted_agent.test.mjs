// The scripted agent by itself: what the tests of agentd rely on.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const kAgent = fileURLToPath(new URL("../../../support/scripted_agent/scripted_agent.mjs", import.meta.url));

async function withAgent(script, body) {
  const directory = mkdtempSync(join(tmpdir(), "scripted-"));
  writeFileSync(join(directory, "script.json"), JSON.stringify(script));
  const log = join(directory, "log");
  const child = spawn(process.execPath, [kAgent, join(directory, "script.json"), log], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const agent = {
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    next: async () => (await lines.next()).value,
    heard: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ended: new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal }))),
    end: () => child.stdin.end(),
  };
  agent.message = async () => JSON.parse(await agent.next());
  try {
    await body(agent);
  } finally {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true });
  }
}

test("answers as agents do and plays one list of steps for each prompt", async () => {
  await withAgent(
    { pieces: 3, turns: [[{ text: "añb", split: 1 }], [{ thought: "hm" }, { answer: { stopReason: "refusal" } }]] },
    async (agent) => {
      agent.send({ id: 1, method: "initialize", params: {} });
      assert.equal((await agent.message()).result.protocolVersion, 1);
      agent.send({ id: 2, method: "session/new", params: {} });
      assert.equal((await agent.message()).result.sessionId, "scripted-session");
      agent.send({ id: 3, method: "session/prompt", params: {} });
      const texts = [await agent.message(), await agent.message(), await agent.message()].map(({ params }) => params.update.content.text);
      assert.deepEqual(texts, ["a", "ñ", "b"]);
      assert.deepEqual((await agent.message()).result, { stopReason: "end_turn" });
      agent.send({ id: 4, method: "session/prompt", params: {} });
      assert.equal((await agent.message()).params.update.sessionUpdate, "agent_thought_chunk");
      assert.deepEqual((await agent.message()).result, { stopReason: "refusal" });
      agent.send({ id: 5, method: "session/list", params: {} });
      assert.equal((await agent.message()).error.code, -32601);
      assert.deepEqual(
        agent.heard().map(({ id }) => id),
        [1, 2, 3, 4, 5],
      );
      agent.end();
      assert.equal((await agent.ended).code, 0);
    },
  );
});

test("asks, is cancelled and dies when the script says so", async () => {
  const turn = [
    { request: { method: "session/request_permission", params: { options: [] } }, say: true },
    { raw: "garbage\n" },
    { untilCancelled: true },
  ];
  await withAgent(
    { turns: [turn, [{ exit: 7 }]], on: { "session/load": [{ update: { sessionUpdate: "x" } }, { answer: {} }] } },
    async (agent) => {
      agent.send({ id: 1, method: "session/load", params: {} });
      assert.equal((await agent.message()).params.update.sessionUpdate, "x");
      assert.deepEqual((await agent.message()).result, {});
      agent.send({ id: 2, method: "session/prompt", params: {} });
      const asked = await agent.message();
      assert.equal(asked.method, "session/request_permission");
      agent.send({ id: asked.id, result: { outcome: { outcome: "cancelled" } } });
      assert.equal((await agent.message()).params.update.content.text, '{"outcome":{"outcome":"cancelled"}}');
      assert.equal(await agent.next(), "garbage");
      agent.send({ method: "session/cancel", params: {} });
      assert.deepEqual((await agent.message()).result, { stopReason: "cancelled" });
      agent.send({ id: 3, method: "session/prompt", params: {} });
      assert.equal((await agent.ended).code, 7);
    },
  );
});
