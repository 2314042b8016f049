// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

afterEach(cleanup);

const kGreet = { greet: ({ name }: { name: string }) => ({ text: `Hello, ${name}!`, signedWith: "nothing" }) };

async function openPreview(rpc: Record<string, (input: any) => unknown> = kGreet) {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return renderSlot(app.settingsSections[0]!, {}, { rpc, settings: { greeting: "Hello" } });
}

test("the preview greets, again after the name or a setting changed", async () => {
  const preview = await openPreview();
  expect((await screen.findByText("Hello, Ada! (signed with nothing)")).getAttribute("role")).toBe("status");
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Grace" } });
  await screen.findByText("Hello, Grace! (signed with nothing)");
  const calls = preview.rpcCalls.length;
  preview.behavior.setSettings({ greeting: "Good day" });
  expect(preview.rpcCalls).toHaveLength(calls + 1);
});

test("a failure is announced", async () => {
  await openPreview({ greet: () => Promise.reject(new Error("lost my voice")) });
  expect((await screen.findByRole("alert")).textContent).toBe("lost my voice");
});
