// @vitest-environment happy-dom
import { loadPluginApp, mountPluginContentScripts, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { remaining, timer } from "../timer";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  timer.stop();
  vi.useRealTimers();
});

const leadsNowhere = () => undefined;
const kContext = {
  threadId: null,
  projectId: null,
  openPanel: () => false,
  navigate: {
    toThread: leadsNowhere,
    toProject: leadsNowhere,
    toPluginPanel: leadsNowhere,
    toCompose: leadsNowhere,
    openUrl: () => false,
  },
};

async function load() {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return app;
}

test("the commands start and stop a session; only the one that makes sense is offered", async () => {
  const { commands } = await load();
  const offered = () => commands.filter((command) => command.isAvailable?.(kContext)).map(({ id }) => id);
  expect(offered()).toEqual(["start"]);
  await commands[0]!.run(kContext);
  expect(offered()).toEqual(["stop"]);
  await commands[1]!.run(kContext);
  expect(offered()).toEqual(["start"]);
});

test("a session counts down and is reported when it ends", async () => {
  const app = await load();
  const overlay = renderSlot(app.appOverlays[0]!, {}, { rpc: { finished: () => ({ sessions: 1, minutes: 1 }) } });
  act(() => timer.start(1));
  expect(screen.getByRole("timer").textContent).toBe("1:00");
  act(() => void vi.advanceTimersByTime(15_000));
  expect(screen.getByRole("timer").textContent).toBe("0:45");
  act(() => void vi.advanceTimersByTime(45_000));
  expect(screen.queryByRole("timer")).toBeNull();
  expect(overlay.rpcCalls).toEqual([{ method: "finished", input: { minutes: 1 } }]);
  expect(overlay.inspection.toasts).toMatchObject([{ type: "success", title: "Session finished" }]);
});

test("the footer's form starts a session of the chosen length", async () => {
  const { sidebarFooters } = await load();
  const control = sidebarFooters[0]!;
  if (control.kind !== "disclosure") {
    throw new Error("the footer has no disclosure");
  }
  const dismiss = vi.fn();
  renderSlot({ component: control.component }, { dismiss }, { rpc: { total: () => ({ sessions: 0, minutes: 0 }) } });
  fireEvent.change(screen.getByLabelText("Minutes"), { target: { value: "10" } });
  fireEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(timer.get().minutes).toBe(10);
  expect(dismiss).toHaveBeenCalledOnce();
});

test("the page is marked while a session runs, and no longer than the plugin does", async () => {
  const scripts = await mountPluginContentScripts(await load(), { pluginId: "focus-timer" });
  const marked = () => document.documentElement.hasAttribute("data-focus-session");
  expect(marked()).toBe(false);
  timer.start(1);
  expect(marked()).toBe(true);
  await scripts.lifecycle.dispose();
  expect(marked()).toBe(false);
});

test("what is left is rounded up to seconds", () => {
  expect(remaining(61_000, 0)).toBe("1:01");
  expect(remaining(500, 0)).toBe("0:01");
  expect(remaining(0, 10)).toBe("0:00");
});
