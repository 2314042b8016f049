import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { createFakePluginHost, type FakePluginHarness } from "@get-svc/plugin-sdk/testing";

import todo, { type Todo } from "../server";

let harness: FakePluginHarness;
beforeEach(() => {
  const host = createFakePluginHost({ pluginId: "todo" });
  todo(host.svc);
  harness = host.harness;
});

const rpc = (method: string, input: unknown) => harness.callRpc(method, input);
const run = (...argv: string[]) => harness.runCli(argv);

test("rpc: a todo is added, listed, set done and removed", async () => {
  assert.deepEqual(await rpc("todos_list", null), { todos: [] });
  const added: Todo = await rpc("todos_add", { title: "  buy milk " });
  assert.match(added.id, /^[0-9a-f]{8}$/);
  assert.equal(added.title, "buy milk");
  assert.equal(added.done, false);
  assert.equal(new Date(added.createdAt).toISOString(), added.createdAt);

  const done: Todo = await rpc("todos_set_done", { id: added.id, done: true });
  assert.deepEqual(done, { ...added, done: true });
  assert.deepEqual(await rpc("todos_list", null), { todos: [done] });
  assert.deepEqual(await rpc("todos_remove", { id: added.id }), { removed: true });
  assert.deepEqual(await rpc("todos_list", null), { todos: [] });
});

test("rpc: titles have 1 to 200 characters after trimming", async () => {
  await assert.rejects(rpc("todos_add", { title: "   " }), /A todo needs a title/);
  await assert.rejects(rpc("todos_add", { title: "x".repeat(201) }), /at most 200 characters/);
  const added = await rpc("todos_add", { title: ` ${"x".repeat(200)} ` });
  assert.equal(added.title.length, 200);
});

test("rpc: an unknown id fails for set_done and removes nothing", async () => {
  await assert.rejects(rpc("todos_set_done", { id: "nope", done: true }), /^Error: No todo nope\.$/);
  assert.deepEqual(await rpc("todos_remove", { id: "nope" }), { removed: false });
  assert.deepEqual(harness.realtimeSignals, []);
});

test("every write publishes the number of all todos", async () => {
  const first = await rpc("todos_add", { title: "one" });
  await run("add", "two");
  await run("done", first.id);
  await rpc("todos_remove", { id: first.id });
  assert.deepEqual(
    harness.realtimeSignals,
    [1, 2, 2, 1].map((count) => ({ channel: "todos-changed", payload: { count } })),
  );
});

test("concurrent writes from both channels lose nothing, also after a failure", async () => {
  const failing = rpc("todos_set_done", { id: "nope", done: true }).catch(() => "failed");
  await Promise.all([
    failing,
    ...Array.from({ length: 20 }, (_, index) => rpc("todos_add", { title: `rpc ${index}` })),
    ...Array.from({ length: 20 }, (_, index) => run("add", "cli", String(index))),
  ]);
  const { todos } = await rpc("todos_list", null);
  assert.equal(new Set(todos.map((entry: Todo) => entry.title)).size, 40);
  assert.equal(harness.realtimeSignals.at(-1)?.channel, "todos-changed");
  assert.deepEqual(harness.realtimeSignals.at(-1)?.payload, { count: 40 });
});

test("cli: text output", async () => {
  assert.deepEqual(await run("list"), { exitCode: 0, stdout: "No todos.", stderr: "" });
  const added = await run("add", "buy", "milk");
  const [, id] = /^Added \[ \] ([0-9a-f]{8})  buy milk$/.exec(added.stdout)!;
  assert.equal((await run("list")).stdout, `[ ] ${id}  buy milk`);
  assert.equal((await run("done", id!)).stdout, `[x] ${id}  buy milk`);
  assert.equal((await run("list")).stdout, `[x] ${id}  buy milk`);
  assert.equal((await run("undo", id!)).stdout, `[ ] ${id}  buy milk`);
  assert.equal((await run("remove", id!)).stdout, `Removed ${id}`);
});

test("cli: --json prints the value, wherever the flag stands", async () => {
  assert.deepEqual(JSON.parse((await run("list", "--json")).stdout), []);
  const added: Todo = JSON.parse((await run("--json", "add", "buy", "milk")).stdout);
  assert.equal(added.title, "buy milk");
  assert.deepEqual(JSON.parse((await run("list", "--json")).stdout), [added]);
  assert.equal(JSON.parse((await run("done", added.id, "--json")).stdout).done, true);
  assert.equal(JSON.parse((await run("undo", "--json", added.id)).stdout).done, false);
  assert.deepEqual(JSON.parse((await run("remove", added.id, "--json")).stdout), { removed: true, id: added.id });
});

test("cli: usage is the answer to no command and to help", async () => {
  for (const argv of [[], ["help"], ["--help"], ["--json"]]) {
    const result = await run(...argv);
    assert.equal(result.exitCode, 0);
    assert.equal(result.stderr, "");
    for (const command of harness.registrations.cli!.commands) {
      assert.ok(result.stdout.includes(command.usage), command.name);
    }
  }
});

test("cli: misuse exits with 1 and usage on stderr", async () => {
  const wrong = [["frobnicate"], ["add"], ["add", " "], ["done"], ["undo"], ["remove"], ["done", "a", "b"], ["--all"]];
  for (const argv of wrong) {
    const result = await run(...argv);
    assert.equal(result.exitCode, 1, argv.join(" "));
    assert.equal(result.stdout, "");
    assert.match(result.stderr, /^Usage:/);
  }
});

test("cli: an unknown id says how to find ids, a long title what is wrong", async () => {
  for (const command of ["done", "undo", "remove"]) {
    assert.deepEqual(await run(command, "nope"), {
      exitCode: 1,
      stdout: "",
      stderr: 'No todo nope. Run "svc todo list" to see ids.',
    });
  }
  const result = await run("add", "x".repeat(201));
  assert.deepEqual([result.exitCode, result.stderr], [1, "A title has at most 200 characters."]);
});

test("the command is registered under the plugin id with five commands", () => {
  const { name, commands } = harness.registrations.cli!;
  assert.equal(name, "todo");
  assert.deepEqual(
    commands.map((entry) => entry.name),
    ["list", "add", "done", "undo", "remove"],
  );
});

test("the end of a load is logged", async () => {
  await harness.lifecycle.dispose();
  assert.deepEqual(harness.logEntries, [{ level: "debug", message: "todo stopped" }]);
});

test("tools: an agent adds to the same list and reads it", async () => {
  assert.deepEqual(await harness.callAgentTool("todo_list", {}), { content: [{ type: "text", text: "No todos." }], isError: false });
  const added = await harness.callAgentTool("todo_add", { title: " buy milk " });
  assert.equal(added.isError, false);
  const { stdout } = await run("list");
  assert.deepEqual(added.content, [{ type: "text", text: `Added ${stdout}` }]);
  assert.deepEqual((await harness.callAgentTool("todo_list", {})).content, [{ type: "text", text: stdout }]);
  assert.equal((await harness.callAgentTool("todo_add", { title: " " })).isError, true);
});
