import { describe, expect, it } from "vitest";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { PluginScheduleInfo } from "#sdk/record.js";
import { overviewOf } from "@/pages/home/overview_model";

import { record } from "../plugins/fake_plugins";

const thread = (id: string, more: Partial<PluginSidebarThread> = {}) =>
  ({
    id,
    title: id,
    status: "idle",
    indicator: "none",
    isArchived: false,
    hasPendingInteraction: false,
    latestAttentionAt: 1,
    updatedAt: 1,
    ...more,
  }) as PluginSidebarThread;

const schedule = (name: string, more: Partial<PluginScheduleInfo> = {}): PluginScheduleInfo => ({
  name,
  cron: "* * * * *",
  timezone: "UTC",
  nextRunAt: 100,
  lastRunAt: null,
  lastStatus: null,
  lastError: null,
  lastRunMissed: false,
  ...more,
});

describe("overviewOf", () => {
  it("has nothing of a service that rests", () => {
    expect(overviewOf([record("a", null)], [thread("t")])).toEqual({ waiting: [], working: [], failed: [], next: [] });
  });

  it("tells threads that wait, the longest first, from those at work, the newest first; archived ones are not told of", () => {
    const asks = { status: "active", indicator: "waiting-for-input" } as const;
    const { waiting, working } = overviewOf(
      [],
      [
        thread("late", { ...asks, latestAttentionAt: 9 }),
        thread("early", { ...asks, latestAttentionAt: 2 }),
        thread("gone", { ...asks, isArchived: true }),
        thread("old", { status: "active", updatedAt: 3 }),
        thread("new", { status: "starting", updatedAt: 4 }),
      ],
    );
    expect(waiting.map(({ id }) => id)).toEqual(["early", "late"]);
    expect(working.map(({ id }) => id)).toEqual(["new", "old"]);
  });

  it("names what failed: threads nobody looked at, plugins, their services and schedules", () => {
    const { failed } = overviewOf(
      [
        record("broken", null, {
          status: "error",
          statusDetail: "no such file",
          lastError: { at: 5, message: "m", stack: null, source: "load" },
        }),
        record("unset", null, { status: "needs-configuration", statusDetail: null }),
        record("busy", null, {
          services: [
            { name: "poll", state: "backoff", restarts: 2, nextStartAt: 9, lastError: { at: 7, message: "refused" } },
            { name: "fine", state: "running", restarts: 1, nextStartAt: null, lastError: { at: 1, message: "long ago" } },
          ],
          schedules: [
            schedule("nightly", { lastStatus: "error", lastError: "timed out", lastRunAt: 6 }),
            schedule("ok", { lastStatus: "ok" }),
          ],
        }),
        record("off", null, { status: "disabled", schedules: [schedule("x", { lastStatus: "error", lastError: "old" })] }),
      ],
      [thread("t", { status: "error", indicator: "unread-error", latestAttentionAt: 8 })],
    );
    expect(failed.map(({ name, text, to, at }) => [name, text, to, at])).toEqual([
      ["t", "The last turn failed.", "/threads/t", 8],
      ["The busy: poll", "refused", "/plugins/busy", 7],
      ["The busy: nightly", "timed out", "/plugins/busy", 6],
      ["The broken", "no such file", "/plugins/broken", 5],
      ["The unset", "Settings are missing.", "/plugins/unset", null],
    ]);
  });

  it("lists the runs to come of plugins that run, the soonest first", () => {
    const { next } = overviewOf(
      [
        record("a", null, { schedules: [schedule("later", { nextRunAt: 30 }), schedule("soon", { nextRunAt: 10 })] }),
        record("b", null, { schedules: [schedule("between", { nextRunAt: 20 })] }),
        record("off", null, { status: "disabled", schedules: [schedule("never")] }),
      ],
      [],
    );
    expect(next.map(({ name }) => name)).toEqual(["soon", "between", "later"]);
  });
});
