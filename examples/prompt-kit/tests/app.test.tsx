// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

afterEach(cleanup);

async function load() {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return app;
}

const kRpc = { snippets: () => [{ id: "0", title: "Review", text: "Review the latest change." }] };

test("a snippet starts a new thread's prompt", async () => {
  const section = renderSlot((await load()).homepageSections[0]!, { projectId: null }, { rpc: kRpc });
  fireEvent.click(await screen.findByRole("button", { name: /^Review/ }));
  expect(section.inspection.navigateCalls).toMatchObject([
    { method: "toCompose", options: { initialPrompt: "Review the latest change.", focusPrompt: true } },
  ]);
});

test("a snippet is added to what was typed already", async () => {
  const section = renderSlot((await load()).homepageSections[0]!, { projectId: null }, { rpc: kRpc, composer: { text: "Hello" } });
  fireEvent.click(await screen.findByRole("button", { name: /^Review/ }));
  expect(section.inspection.composer.text).toContain("Hello");
  expect(section.inspection.composer.text).toContain("Review the latest change.");
  expect(section.inspection.navigateCalls).toEqual([]);
});

test("words are counted", async () => {
  const action = renderSlot((await load()).composerCustomizations[0]!.actions![0]!, {}, { composer: { text: "one two" } });
  expect(screen.getByText("2 words")).toBeTruthy();
  action.behavior.setComposerText("one");
  expect(screen.getByText("1 word")).toBeTruthy();
});

test("what is left open stands out", async () => {
  const effect = (await load()).composerCustomizations[0]!.richText!.effects![0]!;
  expect(effect.match("Fix <name of the file>, TODO")).toEqual([
    { start: 4, end: 22 },
    { start: 24, end: 28 },
  ]);
});
