// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

afterEach(cleanup);

async function load() {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return app;
}

function interaction(payload: null | { command: string }) {
  return { id: "1", threadId: "t", title: "Deploy?", payload, createdAt: 0, expiresAt: null };
}

test("an answer carries the decision and the note", async () => {
  const submit = vi.fn(async () => undefined);
  const cancel = vi.fn(async () => undefined);
  renderSlot((await load()).pendingInteractions[0]!, { interaction: interaction({ command: "make deploy" }), submit, cancel });
  expect(screen.getByText("make deploy")).toBeTruthy();
  fireEvent.change(screen.getByLabelText(/^Note/), { target: { value: "not on a Friday" } });
  fireEvent.click(screen.getByRole("button", { name: "Refuse" }));
  expect(submit).toHaveBeenCalledExactlyOnceWith({ approved: false, note: "not on a Friday" });
});

test("a refused answer is shown, and another can be given", async () => {
  const submit = vi.fn(() => Promise.reject(new Error("The question is no longer asked.")));
  renderSlot((await load()).pendingInteractions[0]!, { interaction: interaction(null), submit, cancel: async () => undefined });
  fireEvent.click(screen.getByRole("button", { name: "Approve" }));
  expect((await screen.findByRole("alert")).textContent).toBe("The question is no longer asked.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Approve" }).disabled).toBe(false);
});

test("a question without a command shows none", async () => {
  const { container } = renderSlot((await load()).pendingInteractions[0]!, {
    interaction: interaction(null),
    submit: async () => undefined,
    cancel: async () => undefined,
  });
  expect(container.querySelector("pre")).toBeNull();
});

test("the panel follows decisions of its own thread", async () => {
  const decision = { id: "1", threadId: "t", question: "Deploy?", approved: true, note: "" };
  let decisions: (typeof decision)[] = [];
  const panel = renderSlot((await load()).threadPanelActions[0]!, { threadId: "t", params: null }, { rpc: { decisions: () => decisions } });
  await screen.findByText("Nothing was decided in this thread yet.");
  decisions = [decision];
  panel.emitRealtime("decided", { threadId: "another" });
  expect(screen.queryByText("Deploy?")).toBeNull();
  panel.emitRealtime("decided", { threadId: "t" });
  await screen.findByText("Deploy?");
});

test("the header's control opens the panel", async () => {
  const header = renderSlot((await load()).threadHeaderActions[0]!, { threadId: "t", projectId: "p", isCompactViewport: false });
  fireEvent.click(screen.getByRole("button", { name: "Open decisions" }));
  expect(header.inspection.navigateCalls).toMatchObject([{ method: "openThreadPanel", options: { actionId: "decisions" } }]);
});
