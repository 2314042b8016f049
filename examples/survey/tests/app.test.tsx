// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

afterEach(cleanup);

test("the question says how much would go, and takes both answers", async () => {
  const submit = vi.fn(async () => undefined);
  const cancel = vi.fn(async () => undefined);
  const app = await loadPluginApp(() => import("../app"));
  const interaction = { id: "1", threadId: "t", title: "Forget all surveys?", payload: { count: 2 }, createdAt: 0, expiresAt: null };
  renderSlot(app.pendingInteractions[0]!, { interaction, submit, cancel });
  expect(screen.getByText("2 surveys will be deleted.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Delete" }));
  fireEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(submit).toHaveBeenCalledExactlyOnceWith(true);
  expect(cancel).toHaveBeenCalledOnce();
});
