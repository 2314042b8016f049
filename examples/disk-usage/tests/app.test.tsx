// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import type { Usage } from "../contract";
import type { Machine } from "../server";

afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

const kGiB = 1024 ** 3;
const machines: Machine[] = [
  { id: "host_0", name: "home", state: "available", message: null },
  { id: "host_1", name: "laptop", state: "unavailable", message: "Its daemon is not connected." },
];
const usageOf = (used: number): Usage => ({
  at: 1_000,
  disks: [{ path: "/", device: "/dev/sda2", totalBytes: 100 * kGiB, usedBytes: used * kGiB, freeBytes: (100 - used) * kGiB }],
});

async function show(subPath: string, follow: (input: { hostId: string; viewer: string }) => unknown) {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  const rpc = { machines: () => machines, follow: follow as (input: unknown) => unknown, unfollow: () => null };
  return renderSlot(app.navPanels[0]!, { subPath }, { rpc });
}

const answer = (used: number) => ({ ...usageOf(used), forMs: 30_000 });
const shownPercent = async () => (await screen.findByRole("meter")).getAttribute("aria-valuenow");

test("the server's own machine is shown first, and follows its signals only", async () => {
  const page = await show("", () => answer(60));
  expect(await shownPercent()).toBe("60");
  expect(screen.getByText(/40\.0 GiB free of 100\.0 GiB/)).toBeTruthy();
  page.emitRealtime("usage", { hostId: "host_1", usage: usageOf(10) });
  expect(await shownPercent()).toBe("60");
  page.emitRealtime("usage", { hostId: "host_0", usage: usageOf(95) });
  await waitFor(async () => expect(await shownPercent()).toBe("95"));
  expect(screen.getByText("nearly full")).toBeTruthy();
});

test("another machine is another address", async () => {
  const page = await show("", () => answer(60));
  fireEvent.change(await screen.findByLabelText("Machine"), { target: { value: "host_1" } });
  expect(page.inspection.navigateCalls).toMatchObject([
    { method: "toPluginPanel", path: "disks", options: { subPath: "host_1", replace: true } },
  ]);
});

test("a machine that is away says why, and is asked again", async () => {
  let isAway = true;
  await show("host_1", () => {
    if (isAway) {
      throw new Error('host "host_1" is not connected');
    }
    return answer(20);
  });
  expect((await screen.findByRole("alert")).textContent).toContain("is not connected");
  expect(screen.getByText("Its daemon is not connected.")).toBeTruthy();
  isAway = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await shownPercent()).toBe("20");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a page that goes says so, and one that stays asks again when the worker is lost", async () => {
  const page = await show("host_0", () => answer(60));
  await screen.findByRole("meter");
  const called = (method: string) => page.rpcCalls.filter((call) => call.method === method);
  page.emitRealtime("worker-lost", { hostId: "host_1" });
  page.emitRealtime("worker-lost", { hostId: "host_0" });
  await waitFor(() => expect(called("follow")).toHaveLength(2));
  page.lifecycle.unmount();
  expect(called("unfollow")).toEqual([{ method: "unfollow", input: called("follow")[0]?.input }]);
});
