import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { beforeEach, expect, test } from "vitest";

import plugin, { type Todo } from "../server";

let host: ReturnType<typeof createFakePluginHost>;
beforeEach(() => {
  host = createFakePluginHost({ pluginId: "{{id}}" });
  plugin(host.svc);
});

async function rpc<T>(method: string, input?: unknown): Promise<T> {
  return (await host.harness.callRpc(method, input)) as T;
}

const run = (...argv: string[]) => host.harness.runCli(argv);

test("a todo is added, marked as done and removed", async () => {
  const added = await rpc<Todo>("todos_add", { title: "  buy milk " });
  expect(added).toMatchObject({ title: "buy milk", done: false });
  expect(added.id).toMatch(/^[0-9a-f]{8}$/);

  await rpc("todos_set_done", { id: added.id, done: true });
  expect(await rpc("todos_list")).toEqual({ todos: [{ ...added, done: true }] });

  expect(await rpc("todos_remove", { id: added.id })).toEqual({ removed: true });
  expect(await rpc("todos_remove", { id: added.id })).toEqual({ removed: false });
  expect(await rpc("todos_list")).toEqual({ todos: [] });
});

test("titles have 1 to 200 characters after trimming", async () => {
  await expect(rpc("todos_add", { title: "   " })).rejects.toThrow("A todo needs a title.");
  await expect(rpc("todos_add", { title: "x".repeat(201) })).rejects.toThrow("at most 200 characters");
  expect(await rpc<Todo>("todos_add", { title: ` ${"x".repeat(200)} ` })).toMatchObject({ title: "x".repeat(200) });
});

test("an unknown id is an error", async () => {
  await expect(rpc("todos_set_done", { id: "nope", done: true })).rejects.toThrow("No todo nope.");
  expect(await run("done", "nope")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: 'No todo nope. Run "svc {{id}} list" to see ids.',
  });
});

test("every write tells the pages how many todos there are", async () => {
  const { id } = await rpc<Todo>("todos_add", { title: "a" });
  await rpc("todos_set_done", { id, done: true });
  await rpc("todos_remove", { id });
  expect(host.harness.realtimeSignals).toEqual([1, 1, 0].map((count) => ({ channel: "todos-changed", payload: { count } })));
});

test("done todos are left out when the setting says so", async () => {
  const { id } = await rpc<Todo>("todos_add", { title: "a" });
  await rpc("todos_set_done", { id, done: true });
  await host.harness.setSettings({ showDone: false });
  expect(await rpc("todos_list")).toEqual({ todos: [] });
  expect((await run("list")).stdout).toBe("No todos.");
});

test("the command does the same as the page", async () => {
  expect((await run("list")).stdout).toBe("No todos.");
  const added = await run("add", "buy", "milk");
  expect(added.stdout).toMatch(/^Added \[ \] [0-9a-f]{8} {2}buy milk$/);
  const { todos } = await rpc<{ todos: Todo[] }>("todos_list");
  const id = todos[0]?.id ?? "";

  expect((await run("done", id)).stdout).toBe(`[x] ${id}  buy milk`);
  expect(JSON.parse((await run("list", "--json")).stdout)).toEqual([{ ...todos[0], done: true }]);
  expect((await run("undo", id)).stdout).toBe(`[ ] ${id}  buy milk`);
  expect((await run("remove", id)).stdout).toBe(`Removed ${id}`);
});

test("wrong use of the command shows how it is used", async () => {
  for (const argv of [["add"], ["done"], ["remove", "a", "b"], ["unknown"]]) {
    const { exitCode, stderr } = await run(...argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Usage:");
  }
  expect(await run("help")).toMatchObject({ exitCode: 0, stdout: (await run()).stdout });
});
