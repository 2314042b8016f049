import { experimental_createHostEntryHarness } from "@get-svc/plugin-sdk/testing/host";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Disk } from "../contract";
import { readDisks } from "../df";

vi.mock("../df", () => ({ readDisks: vi.fn() }));
const disks = vi.mocked(readDisks);

const root: Disk = { path: "/", device: "/dev/sda2", totalBytes: 100, usedBytes: 60, freeBytes: 40 };

/** A fresh worker: what the module remembers goes with it. */
async function worker() {
  vi.resetModules();
  const { default: entry } = await import("../host");
  return experimental_createHostEntryHarness(entry);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: 1_000_000 });
  disks.mockReset().mockResolvedValue([root]);
});
afterEach(() => void vi.useRealTimers());

/** Lets time pass, and the signals of that time arrive. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await new Promise(setImmediate);
}

test("the disks are read when asked", async () => {
  const host = await worker();
  expect(await host.experimental_call("read", undefined)).toEqual({ at: 1_000_000, disks: [root] });
  expect(host.experimental_getRetainedWorkerLeaseCount()).toBe(0);
});

test("whoever follows hears of the disks, and the worker stays for that long", async () => {
  const host = await worker();
  expect(await host.experimental_call("follow", { id: "a", everyMs: 1_000, forMs: 2_500 })).toMatchObject({ disks: [root] });
  expect(host.experimental_getRetainedWorkerLeaseCount()).toBe(1);
  await pass(1_000);
  await pass(1_000);
  expect(host.experimental_getSignals()).toEqual([
    { name: "usage", payload: { at: 1_001_000, disks: [root] } },
    { name: "usage", payload: { at: 1_002_000, disks: [root] } },
  ]);
  await pass(1_000);
  expect(host.experimental_getSignals()).toHaveLength(2);
  expect(host.experimental_getRetainedWorkerLeaseCount()).toBe(0);
});

test("another call keeps it going; the last one to leave ends it", async () => {
  const host = await worker();
  const follow = (id: string) => host.experimental_call("follow", { id, everyMs: 1_000, forMs: 1_500 });
  await follow("a");
  await pass(1_000);
  await follow("a");
  await follow("b");
  await pass(1_000);
  expect(host.experimental_getSignals()).toHaveLength(2);
  expect(await host.experimental_call("unfollow", { id: "a" })).toEqual({ followers: 1 });
  expect(host.experimental_getRetainedWorkerLeaseCount()).toBe(1);
  expect(await host.experimental_call("unfollow", { id: "b" })).toEqual({ followers: 0 });
  expect(host.experimental_getRetainedWorkerLeaseCount()).toBe(0);
  await pass(5_000);
  expect(host.experimental_getSignals()).toHaveLength(2);
});

test("a machine whose disks cannot be read says so to callers, and goes on for those who follow", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const host = await worker();
  await host.experimental_call("follow", { id: "a", everyMs: 1_000, forMs: 10_000 });
  disks.mockRejectedValueOnce(new Error("no df here"));
  await pass(1_000);
  expect(log).toHaveBeenCalledWith("the disks could not be read: no df here");
  await pass(1_000);
  expect(host.experimental_getSignals()).toHaveLength(1);
  disks.mockRejectedValueOnce(new Error("no df here"));
  await expect(host.experimental_call("read", undefined)).rejects.toMatchObject({ code: "handler_error", message: "no df here" });
});

test("nothing is sent after the end of the worker", async () => {
  const host = await worker();
  await host.experimental_call("follow", { id: "a", everyMs: 1_000, forMs: 10_000 });
  await host.experimental_dispose();
  await pass(5_000);
  expect(host.experimental_getSignals()).toEqual([]);
  expect(disks).toHaveBeenCalledTimes(1);
});
