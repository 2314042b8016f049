// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import type { Todo } from "../server";

afterEach(cleanup);

const kTodo: Todo = { id: "1", title: "buy milk", done: false, createdAt: "2026-01-01T00:00:00.000Z" };

/** The page over a list in memory. */
async function openPage(initial: Todo[] = []) {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  let todos = initial;
  const change = (next: Todo[]) => {
    todos = next;
    page.emitRealtime("todos-changed", { count: todos.length });
    return todos.at(-1) ?? { removed: true };
  };
  const page = renderSlot(
    app.navPanels[0]!,
    { subPath: "" },
    {
      rpc: {
        todos_list: () => ({ todos }),
        todos_add: ({ title }: Todo) => change([...todos, { ...kTodo, id: "2", title }]),
        todos_set_done: ({ id, done }: Todo) => change(todos.map((todo) => (todo.id === id ? { ...todo, done } : todo))),
        todos_remove: ({ id }: Todo) => change(todos.filter((todo) => todo.id !== id)),
      },
    },
  );
  return page;
}

test("a todo is added, checked and removed", async () => {
  await openPage();
  await screen.findByText(/^Nothing to do/);
  fireEvent.change(screen.getByLabelText("New todo"), { target: { value: "buy bread" } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  fireEvent.click(await screen.findByRole("checkbox", { name: "buy bread" }));
  expect(await screen.findByText("1 of 1 done")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Remove buy bread" }));
  await screen.findByText(/^Nothing to do/);
});

test("the list is fetched again after a reconnect", async () => {
  const page = await openPage([kTodo]);
  await screen.findByText("buy milk");
  const before = page.rpcCalls.length;
  page.behavior.setRealtimeConnectionState("reconnecting");
  page.behavior.setRealtimeConnectionState("connected");
  expect(page.rpcCalls).toHaveLength(before + 1);
  await screen.findByText("buy milk");
});

test("a failure is announced", async () => {
  const app = await loadPluginApp(() => import("../app"));
  renderSlot(app.navPanels[0]!, { subPath: "" }, { rpc: { todos_list: () => Promise.reject(new Error("out of order")) } });
  expect((await screen.findByRole("alert")).textContent).toBe("out of order");
});
