// Real agents in threads, offline: each is started as its preset says and does what people do with threads. The model is a script.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { startGate } from "./lib/gate.mjs";
import { versionOf } from "./lib/packages.mjs";
import { kWantedAgents } from "./lib/session.mjs";
import { startThreads } from "./lib/threads.mjs";
import { until } from "./lib/until.mjs";
import { Script } from "./model/script.mjs";

const kSecret = "The word for today is marmalade.";
const kWork = "Work on it until I stop you.";

/** A promise and who keeps it. */
function promised() {
  let keep;
  const kept = new Promise((resolve) => (keep = resolve));
  return { kept, keep };
}

for (const agent of kWantedAgents.filter(({ acp }) => acp)) {
  describe(`${agent.package} ${versionOf(agent.acp.name)} in a thread`, () => {
    let threads;
    let gate;
    before(async () => {
      gate = await startGate();
      threads = await startThreads(agent, { gate });
    });
    after(async () => {
      await threads?.close();
      gate.close();
    });

    const lastTurn = async () => (await threads.events("turn/completed")).at(-1).data;
    const lastStart = async () => (await threads.events("thread/identity")).at(-1).data;
    /** A turn that ends well, with a model that was asked what the script expects. */
    async function completes(script, options) {
      const told = await threads.say(script, options);
      assert.deepEqual(script.problems, [], told.all);
      assert.equal(told.status, 0, told.all);
      assert.ok(script.isFinished, `it ended at turn ${script.reached} of ${script.turns.length}:\n${told.all}`);
      assert.equal((await lastTurn()).status, "completed");
      return told;
    }
    /** A turn that has begun and in which the model is silent. */
    async function works() {
      const { kept: left, keep: leave } = promised();
      const script = new Script({ prompt: kWork, turns: [{ hangs: { leave } }] });
      threads.talk.follow(script);
      const told = threads.begin("thread", "send", threads.id, kWork, "--follow");
      await until("the agent asks the model", () => script.reached === 1);
      return { told, left };
    }
    /** What an agent that begins anew in the thread still knows of it. */
    async function remembers(prompt) {
      const begun = (await threads.events("thread/identity")).length;
      const asked = threads.model.log.length;
      const { all } = await completes(new Script({ prompt, turns: [{ answer: "Marmalade, I think." }] }));
      assert.equal((await threads.events("thread/identity")).length, begun + 1, "the thread has a new session");
      const requests = JSON.stringify(threads.model.log.slice(asked).map(({ body }) => body));
      const start = await lastStart();
      if (agent.acp.forgets && start.started === "replaced") {
        assert.match(
          start.message,
          /^The agent's earlier session could not go on \(.*\); this is a new one, which does not know what was said$/,
        );
        assert.ok(all.includes(start.message), all);
        assert.ok(!requests.includes(kSecret));
      } else {
        assert.match(start.started, /^(resumed|loaded)$/);
        assert.ok(requests.includes(kSecret), "the agent tells the model what was said before");
      }
    }

    test("is found by its preset", async () => {
      await until("the machine says what it has", async () => (await threads.provider()) !== undefined);
      const { available, unavailableReason } = await threads.provider();
      assert.ok(available, unavailableReason);
    });

    test("says its answer while it is being made", async () => {
      const { kept: seen, keep: see } = promised();
      const script = new Script({ prompt: kSecret, turns: [{ pieces: ["I shall remember ", "that word."], between: () => seen }] });
      threads.talk.follow(script);
      const told = threads.begin("thread", "start", kSecret, "--provider", agent.acp.provider, "--follow");
      await until("the first half of the answer", () => told.output.stdout.includes("I shall remember") || told.isOver(), { seconds: 120 });
      assert.ok(!told.output.stdout.includes("that word."), told.output.all);
      see();
      const { status, all } = await told.ended;
      assert.equal(status, 0, all);
      const [thread] = JSON.parse(await threads.service.mustRun("thread", "list", "--json")).threads;
      threads.id = thread.id;
      assert.equal(await threads.service.mustRun("thread", "output", threads.id), "I shall remember that word.\n");
      assert.equal((await lastStart()).started, "new");
    });

    test("uses tools of plugins with the token of its thread", async () => {
      const { all } = await completes(
        new Script({
          prompt: "Put milk on my todo list.",
          turns: [
            { call: "probe_thread" },
            { expects: `thread: ${threads.id}`, call: "todo_add", arguments: { title: "buy milk" } },
            { expects: "Added \\[ \\] \\w{8}  buy milk", answer: "Milk is on it." },
          ],
        }),
      );
      assert.match(await threads.service.mustRun("todo", "list"), /^\[ \] \w{8} {2}buy milk\n$/);
      const calls = (await threads.events("item/completed"))
        .map(({ data }) => data.item)
        .filter(({ type, result }) => type === "toolCall" && /Added \[ \] \w{8} {2}buy milk/.test(result));
      assert.deepEqual(
        calls.map(({ status, arguments: given }) => ({ status, given })),
        [{ status: "completed", given: agent.acp.hidesArguments ? undefined : { title: "buy milk" } }],
        all,
      );
    });

    test("runs a command when somebody allows it", async () => {
      const before = await threads.service.mustRun("todo", "list");
      const told = await completes(
        new Script({
          prompt: "Add a todo in the shell.",
          turns: [
            { shell: "svc todo add 'drink it'", ...agent.acp.shell },
            { expects: "Added \\[ \\] \\w{8}  drink it", answer: "It is there." },
          ],
        }),
        {
          onQuestion: async ({ payload }) => {
            assert.equal(payload.subject.kind, "command");
            assert.match(payload.subject.command, /svc todo add 'drink it'/);
            assert.equal(await threads.service.mustRun("todo", "list"), before, "it waits for the answer");
          },
        },
      );
      assert.equal(told.questions.length, 1, told.all);
      assert.match(await threads.service.mustRun("todo", "list"), /drink it/);
    });

    test("leaves a command that nobody allows", async () => {
      const told = await threads.say(
        new Script({
          prompt: "Add another todo in the shell.",
          turns: [{ shell: "svc todo add 'never'", ...agent.acp.shell }, { answer: "Then not." }],
        }),
        { answer: "no" },
      );
      assert.equal(told.questions.length, 1, told.all);
      assert.doesNotMatch(await threads.service.mustRun("todo", "list"), /never/);
      const commands = (await threads.events("item/completed"))
        .map(({ data }) => data.item)
        .filter(({ type }) => type === "commandExecution");
      assert.equal(commands.at(-1).status, "failed", told.all);
      assert.equal(commands.at(-1).approvalStatus, "denied", told.all);
    });

    test("says what the model's API refused", async () => {
      const told = await threads.say(new Script({ prompt: "Ask for too much.", turns: [{ fails: "the quota of this key is used up" }] }));
      assert.match(told.all, /the quota of this key is used up/);
      assert.equal((await lastTurn()).status, agent.acp.tellsErrorsAsText ? "completed" : "failed", told.all);
      assert.equal(told.status, agent.acp.tellsErrorsAsText ? 0 : 1);
      await completes(new Script({ prompt: "And now?", turns: [{ answer: "Again at your service." }] }));
    });

    test("stops, and goes on with the next message", async () => {
      const { told, left } = await works();
      await threads.service.mustRun("thread", "stop", threads.id);
      const { status, all } = await told.ended;
      assert.equal(status, 1, all);
      assert.equal((await lastTurn()).status, "interrupted");
      await left;
      await until("its process ends", () => threads.processes().length === 0);
      await remembers("Which word was it, after the stop?");
    });

    test("goes on after its process was killed between turns", async () => {
      threads.kill();
      await until("the daemon knows", () => threads.marks().length === 0);
      await remembers("Which word was it, after the kill?");
    });

    test("goes on after its process was killed in a turn", async () => {
      const { told } = await works();
      threads.kill();
      const { status, all } = await told.ended;
      assert.equal(status, 1, all);
      assert.equal((await lastTurn()).status, "failed", all);
      assert.match(all, /svc thread retry/);
      await remembers("Which word was it, after the kill in a turn?");
    });

    test("goes on after the server was killed in a turn", async () => {
      const { told } = await works();
      await threads.service.killAndStartAgain();
      const { status, all } = await told.ended;
      assert.equal(status, 1, all);
      assert.equal((await lastTurn()).status, "interrupted", all);
      await remembers("Which word was it, after the crash?");
    });

    test("asks nobody outside this machine", () => {
      assert.deepEqual(gate.attempts(), []);
    });
  });
}
