import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import type { JsonValue, PluginCliRegistration, SvcPluginApi } from "@get-svc/plugin-sdk";

import todo, { rpcContract, type Todo } from "../server";

type Method = keyof typeof rpcContract;

/** As much of the service as the plugin needs. Every storage call yields, so that races show. */
function createFake() {
  const values = new Map<string, string>();
  const signals: { channel: string; payload: JsonValue }[] = [];
  const disposers: (() => unknown)[] = [];
  let handlers: Record<string, (input: unknown) => unknown> = {};
  let cli: PluginCliRegistration | undefined;

  const svc = {
    pluginId: "todo",
    log: { debug() {}, info() {}, warn() {}, error() {} },
    storage: {
      kv: {
        async get(key: string) {
          await setImmediate();
          const text = values.get(key);
          return text === undefined ? undefined : JSON.parse(text);
        },
        async set(key: string, value: JsonValue) {
          await setImmediate();
          values.set(key, JSON.stringify(value));
        },
      },
    },
    rpc: { register: (_contract: unknown, given: typeof handlers) => void (handlers = given) },
    realtime: { publish: (channel: string, payload: JsonValue) => void signals.push({ channel, payload }) },
    cli: { register: (given: PluginCliRegistration) => void (cli = given) },
    onDispose: (fn: () => unknown) => void disposers.push(fn),
  } as unknown as SvcPluginApi;

  async function rpc<M extends Method>(method: M, input: unknown) {
    const parsed = await rpcContract[method].input.parseAsync(input);
    return rpcContract[method].output.parse(await handlers[method]!(parsed)) as any;
  }
  async function run(...argv: string[]) {
    const result = await cli!.run(argv, { signal: new AbortController().signal });
    return { stdout: "", stderr: "", ...result };
  }
  return { svc, rpc, run, signals, disposers, registration: () => cli! };
}

let host: ReturnType<typeof createFake>;
beforeEach(() => {
  host = createFake();
  todo(host.svc);
});

test("rpc: a todo is added, listed, set done and removed", async () => {
  assert.deepEqual(await host.rpc("todos_list", null), { todos: [] });
  const added: Todo = await host.rpc("todos_add", { title: "  buy milk " });
  assert.match(added.id, /^[0-9a-f]{8}$/);
  assert.equal(added.title, "buy milk");
  assert.equal(added.done, false);
  assert.equal(new Date(added.createdAt).toISOString(), added.createdAt);

  const done: Todo = await host.rpc("todos_set_done", { id: added.id, done: true });
  assert.deepEqual(done, { ...added, done: true });
  assert.deepEqual(await host.rpc("todos_list", null), { todos: [done] });
  assert.deepEqual(await host.rpc("todos_remove", { id: added.id }), { removed: true });
  assert.deepEqual(await host.rpc("todos_list", null), { todos: [] });
});

test("rpc: titles have 1 to 200 characters after trimming", async () => {
  await assert.rejects(host.rpc("todos_add", { title: "   " }), /A todo needs a title/);
  await assert.rejects(host.rpc("todos_add", { title: "x".repeat(201) }), /at most 200 characters/);
  const added = await host.rpc("todos_add", { title: ` ${"x".repeat(200)} ` });
  assert.equal(added.title.length, 200);
});

test("rpc: an unknown id fails for set_done and removes nothing", async () => {
  await assert.rejects(host.rpc("todos_set_done", { id: "nope", done: true }), /^Error: No todo nope\.$/);
  assert.deepEqual(await host.rpc("todos_remove", { id: "nope" }), { removed: false });
  assert.deepEqual(host.signals, []);
});

test("every write publishes the number of all todos", async () => {
  const first = await host.rpc("todos_add", { title: "one" });
  await host.run("add", "two");
  await host.run("done", first.id);
  await host.rpc("todos_remove", { id: first.id });
  assert.deepEqual(
    host.signals,
    [1, 2, 2, 1].map((count) => ({ channel: "todos-changed", payload: { count } })),
  );
});

test("concurrent writes from both channels lose nothing, also after a failure", async () => {
  const failing = host.rpc("todos_set_done", { id: "nope", done: true }).catch(() => "failed");
  await Promise.all([
    failing,
    ...Array.from({ length: 20 }, (_, index) => host.rpc("todos_add", { title: `rpc ${index}` })),
    ...Array.from({ length: 20 }, (_, index) => host.run("add", "cli", String(index))),
  ]);
  const { todos } = await host.rpc("todos_list", null);
  assert.equal(new Set(todos.map((entry: Todo) => entry.title)).size, 40);
  assert.equal(host.signals.at(-1)?.channel, "todos-changed");
  assert.deepEqual(host.signals.at(-1)?.payload, { count: 40 });
});

test("cli: text output", async () => {
  assert.deepEqual(await host.run("list"), { exitCode: 0, stdout: "No todos.", stderr: "" });
  const added = await host.run("add", "buy", "milk");
  const [, id] = /^Added \[ \] ([0-9a-f]{8})  buy milk$/.exec(added.stdout)!;
  assert.equal((await host.run("list")).stdout, `[ ] ${id}  buy milk`);
  assert.equal((await host.run("done", id!)).stdout, `[x] ${id}  buy milk`);
  assert.equal((await host.run("list")).stdout, `[x] ${id}  buy milk`);
  assert.equal((await host.run("undo", id!)).stdout, `[ ] ${id}  buy milk`);
  assert.equal((await host.run("remove", id!)).stdout, `Removed ${id}`);
});

test("cli: --json prints the value, wherever the flag stands", async () => {
  assert.deepEqual(JSON.parse((await host.run("list", "--json")).stdout), []);
  const added: Todo = JSON.parse((await host.run("--json", "add", "buy", "milk")).stdout);
  assert.equal(added.title, "buy milk");
  assert.deepEqual(JSON.parse((await host.run("list", "--json")).stdout), [added]);
  assert.equal(JSON.parse((await host.run("done", added.id, "--json")).stdout).done, true);
  assert.equal(JSON.parse((await host.run("undo", "--json", added.id)).stdout).done, false);
  assert.deepEqual(JSON.parse((await host.run("remove", added.id, "--json")).stdout), { removed: true, id: added.id });
});

test("cli: usage is the answer to no command and to help", async () => {
  for (const argv of [[], ["help"], ["--help"], ["--json"]]) {
    const result = await host.run(...argv);
    assert.equal(result.exitCode, 0);
    assert.equal(result.stderr, "");
    for (const command of host.registration().commands!) {
      assert.ok(result.stdout.includes(command.usage), command.name);
    }
  }
});

test("cli: misuse exits with 1 and usage on stderr", async () => {
  const wrong = [["frobnicate"], ["add"], ["add", " "], ["done"], ["undo"], ["remove"], ["done", "a", "b"], ["--all"]];
  for (const argv of wrong) {
    const result = await host.run(...argv);
    assert.equal(result.exitCode, 1, argv.join(" "));
    assert.equal(result.stdout, "");
    assert.match(result.stderr, /^Usage:/);
  }
});

test("cli: an unknown id says how to find ids, a long title what is wrong", async () => {
  for (const command of ["done", "undo", "remove"]) {
    assert.deepEqual(await host.run(command, "nope"), {
      exitCode: 1,
      stdout: "",
      stderr: 'No todo nope. Run "svc todo list" to see ids.',
    });
  }
  const result = await host.run("add", "x".repeat(201));
  assert.deepEqual([result.exitCode, result.stderr], [1, "A title has at most 200 characters."]);
});

test("the command is registered under the plugin id with five commands", () => {
  const { name, commands } = host.registration();
  assert.equal(name, "todo");
  assert.deepEqual(
    commands!.map((entry) => entry.name),
    ["list", "add", "done", "undo", "remove"],
  );
  assert.equal(host.disposers.length, 1);
});
