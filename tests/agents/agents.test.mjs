// Real agents, offline: each uses the todo plugin through its tools, its command and its skill. The model is a script.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { startGate } from "./lib/gate.mjs";
import { versionOf } from "./lib/packages.mjs";
import { kProbe, kTodo, startService } from "./lib/service.mjs";
import { kWantedAgents, session } from "./lib/session.mjs";
import { readScript } from "./model/script.mjs";

const kTimeoutMs = 180_000;

for (const agent of kWantedAgents) {
  describe(`${agent.package} ${versionOf(agent.name)}`, () => {
    let service;
    let gate;
    before(async () => {
      gate = await startGate();
    });
    after(async () => {
      await service?.close();
      gate.close();
    });

    /** Every session has a server of its own: its home is the agent's, which remembers. */
    async function follow(name, transport, plugins = [kTodo]) {
      await service?.close();
      service = await startService(plugins);
      const script = readScript(name);
      if (name === "skill") {
        await service.mustRun("skill", "sync", "--agent", agent.name);
      }
      const run = await session(agent, script, { service, transport, gate, timeoutMs: kTimeoutMs });
      const told = `${run.stdout}\n${run.stderr}`.slice(-4_000);
      assert.deepEqual(script.problems, [], told);
      assert.equal(run.status, 0, told);
      assert.ok(script.isFinished, `it ended at turn ${script.reached} of ${script.turns.length}:\n${told}`);
      assert.ok(run.stdout.includes(script.answer), told);
      return run;
    }

    test("uses tools, command and shell over HTTP", async () => {
      const { revisions, calls } = await follow("tool_and_command", "HTTP");
      assert.deepEqual(revisions, [agent.revision]);
      assert.deepEqual(
        calls.map(({ name }) => name),
        ["todo_list", "todo_add", "cli_todo", "todo_list"],
      );
      assert.ok(
        calls.every(({ hasToken }) => hasToken),
        "a call without a progress token would be let go after 50 s",
      );
      assert.match(await service.mustRun("todo", "list"), /^\[x\] \w{8} {2}buy milk\n\[ \] \w{8} {2}drink it\n$/);
    });

    test("uses tools, command and shell through `svc mcp`", async () => {
      await follow("tool_and_command", "stdio");
      assert.match(await service.mustRun("todo", "list"), /^\[x\] \w{8} {2}buy milk\n\[ \] \w{8} {2}drink it\n$/);
    });

    test("reads the skill and does what it says", async () => {
      await follow("skill", "stdio");
      assert.match(await service.mustRun("todo", "list"), /^\[ \] \w{8} {2}water the plants\n$/);
    });

    test("gets pictures and failures", () => follow("pictures_and_failures", "HTTP", [kProbe]));

    test("asks nobody outside this machine", () => {
      assert.deepEqual(gate.attempts(), []);
    });
  });
}
