// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import type { Todo } from "../server";

afterEach(cleanup);

/** The page over a list in memory. */
async function openPage(initial: Todo[] = []) {
  const { navPanels } = await loadPluginApp(() => import("../app"));
  const panel = navPanels[0];
  if (panel === undefined) {
    throw new Error("the app has no page");
  }
  let todos = initial;
  const page = renderSlot(
    panel,
    { subPath: "" },
    {
      rpc: {
        todos_list: () => ({ todos }),
        todos_add: (input) => change([...todos, { ...kTodo, id: "2", title: (input as Todo).title }]),
        todos_set_done: (input) => change(todos.map((todo) => ({ ...todo, ...(input as Todo) }))),
        todos_remove: () => change([]),
      },
    },
  );
  function change(next: Todo[]) {
    todos = next;
    page.emitRealtime("todos-changed", { count: todos.length });
    return todos.at(-1) ?? { removed: true };
  }
  return page;
}

const kTodo: Todo = { id: "1", title: "buy milk", done: false, createdAt: "2026-01-01T00:00:00.000Z" };

test("an empty list says so", async () => {
  await openPage();
  expect(await screen.findByText("Nothing to do")).toBeTruthy();
});

test("todos are listed with how many are done", async () => {
  await openPage([kTodo, { ...kTodo, id: "2", title: "buy bread", done: true }]);
  expect(await screen.findByText("1 of 2 done")).toBeTruthy();
  expect(screen.getByRole("checkbox", { name: "buy milk" }).getAttribute("aria-checked")).toBe("false");
  expect(screen.getByRole("checkbox", { name: "buy bread" }).getAttribute("aria-checked")).toBe("true");
});

test("a todo is added, checked and removed", async () => {
  const page = await openPage();
  fireEvent.change(await screen.findByLabelText("New todo"), { target: { value: "buy milk" } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));

  fireEvent.click(await screen.findByRole("checkbox", { name: "buy milk" }));
  expect(await screen.findByText("1 of 1 done")).toBeTruthy();

  fireEvent.click(screen.getByRole("button", { name: "Remove buy milk" }));
  expect(await screen.findByText("Nothing to do")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Todos" })));
  expect(page.rpcCalls.filter(({ method }) => method !== "todos_list")).toEqual([
    { method: "todos_add", input: { title: "buy milk" } },
    { method: "todos_set_done", input: { id: "2", done: true } },
    { method: "todos_remove", input: { id: "2" } },
  ]);
});

test("the list is fetched again after a reconnect", async () => {
  const page = await openPage();
  await screen.findByText("Nothing to do");
  page.behavior.setRealtimeConnectionState("reconnecting");
  page.behavior.setRealtimeConnectionState("connected");
  await waitFor(() => expect(page.rpcCalls.map(({ method }) => method)).toEqual(["todos_list", "todos_list"]));
  await screen.findByText("Nothing to do");
});

test("a failure is announced", async () => {
  const { navPanels } = await loadPluginApp(() => import("../app"));
  renderSlot(navPanels[0]!, { subPath: "" }, { rpc: { todos_list: () => Promise.reject(new Error("out of order")) } });
  expect((await screen.findByRole("alert")).textContent).toBe("out of order");
});
