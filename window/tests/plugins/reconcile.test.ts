import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { kSleepMs, Reconciler, watchPageLife } from "@/plugins/reconcile";

import { record } from "./fake_plugins";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("Reconciler", () => {
  it("fetches at once, joins what follows, and ends with one fetch for all of it", async () => {
    const refresh = vi.fn(async () => undefined);
    const { trigger } = new Reconciler(refresh);
    trigger();
    await settle();
    expect(refresh).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 4; i += 1) {
      trigger();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(refresh).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(150);
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it("runs at the latest 1 s after it was asked for", async () => {
    const refresh = vi.fn(async () => undefined);
    const { trigger } = new Reconciler(refresh);
    trigger();
    for (let i = 0; i < 10; i += 1) {
      trigger();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it("has one fetch under way and at most one waiting", async () => {
    const ends: (() => void)[] = [];
    const refresh = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
    const { trigger } = new Reconciler(refresh);
    trigger();
    for (let i = 0; i < 3; i += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      trigger();
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(refresh).toHaveBeenCalledTimes(1);
    ends[0]!();
    await settle();
    expect(refresh).toHaveBeenCalledTimes(2);
    ends[1]!();
    await vi.advanceTimersByTimeAsync(5000);
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it("goes on after a fetch that failed", async () => {
    const refresh = vi.fn(async () => undefined).mockRejectedValueOnce(new Error("away"));
    const { trigger } = new Reconciler(refresh);
    trigger();
    await vi.advanceTimersByTimeAsync(1000);
    trigger();
    await settle();
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it("asks only when a hash, a status or the set of ids differs", async () => {
    const refresh = vi.fn(async () => undefined);
    const reconciler = new Reconciler(refresh);
    reconciler.noteApplied([record("a", "1"), record("b", null, { status: "error" })]);
    const changed = async (...plugins: { id: string; status: never; hash: string | null }[]) => {
      const before = refresh.mock.calls.length;
      reconciler.onPluginsChanged(plugins);
      await vi.advanceTimersByTimeAsync(2000);
      return refresh.mock.calls.length > before;
    };
    const a = { id: "a", status: "running" as never, hash: "1" };
    const b = { id: "b", status: "error" as never, hash: null };
    expect(await changed(a, b)).toBe(false);
    expect(await changed(b, a)).toBe(false);
    expect(await changed({ ...a, hash: "2" }, b)).toBe(true);
    expect(await changed({ ...a, status: "disabled" as never }, b)).toBe(true);
    expect(await changed(a)).toBe(true);
    expect(await changed(a, b, { ...b, id: "c" })).toBe(true);
    expect(await changed(a, { ...b, id: "c" })).toBe(true);
  });
});

describe("watchPageLife", () => {
  const page = (type: string, persisted: boolean) => window.dispatchEvent(Object.assign(new Event(type), { persisted }));
  const awake = vi.fn();
  const leave = vi.fn();
  let stop: () => void;

  beforeEach(() => {
    awake.mockReset();
    leave.mockReset();
    stop = watchPageLife(awake, leave);
  });
  afterEach(() => stop());

  it("wakes when the page comes back from the browser's cache, not at its first show", () => {
    page("pageshow", false);
    expect(awake).not.toHaveBeenCalled();
    page("pageshow", true);
    expect(awake).toHaveBeenCalledOnce();
  });

  it("leaves with the page, not when the browser keeps it", () => {
    page("pagehide", true);
    expect(leave).not.toHaveBeenCalled();
    page("pagehide", false);
    expect(leave).toHaveBeenCalledOnce();
  });

  it("wakes on focus after a time in which the computer may have slept", () => {
    const away = (ms: number) => {
      window.dispatchEvent(new Event("blur"));
      vi.advanceTimersByTime(ms);
      window.dispatchEvent(new Event("focus"));
    };
    away(kSleepMs - 1);
    expect(awake).not.toHaveBeenCalled();
    away(kSleepMs);
    expect(awake).toHaveBeenCalledOnce();
    stop();
    away(kSleepMs);
    expect(awake).toHaveBeenCalledOnce();
  });
});
