import { describe, expect, it } from "vitest";

import { counted, formatBytes, formatDuration, formatRelative } from "@/lib/format";
import { type InstallJob, jobProgress, kEmptyInstallForm, toInstallRequest } from "@/pages/plugins/install_model";
import { searchPlugins, sortPlugins } from "@/pages/plugins/list_model";
import { rowSignal, statusBadge, statusHint } from "@/pages/plugins/status";
import { addUsage, kNoUsage, kUsageSamples } from "@/pages/plugins/usage_samples";

import { pluginRecord } from "./fixtures";

const failedUpdate = { lastFailure: { version: "2.0.0", at: 1, detail: "it did not start" } };
const available = { outcome: "update-available" as const, availableVersion: "2.0.0" };

describe("rowSignal", () => {
  it("says one thing, in the order failed update, status, user interface, update", () => {
    const everything = pluginRecord({ status: "degraded", updateState: { ...available, ...failedUpdate } });
    expect(rowSignal(everything, { state: "stale" })?.kind).toBe("failed-update");
    expect(rowSignal({ ...everything, updateState: available }, { state: "stale" })?.kind).toBe("status");
    const running = pluginRecord({ updateState: available });
    expect(rowSignal(running, { state: "stale" })?.kind).toBe("ui");
    expect(rowSignal(running, { state: "active" })?.kind).toBe("update");
    expect(rowSignal(pluginRecord(), undefined)).toBeNull();
  });

  it("offers no update to the version that is installed already", () => {
    expect(rowSignal(pluginRecord({ version: "2.0.0", updateState: available }), undefined)).toBeNull();
  });

  it("says nothing of what a user rolled back", () => {
    const byHand = { ...available, lastFailure: { ...failedUpdate.lastFailure, byHand: true as const } };
    expect(
      rowSignal(pluginRecord({ updateState: { ...byHand, rolledBack: { at: 1, detail: "rolled back by hand" } } }), undefined),
    ).toBeNull();
    // Something else that is offered, also under the same number.
    expect(rowSignal(pluginRecord({ updateState: byHand }), undefined)?.kind).toBe("update");
  });

  it("is silent about the user interface of a disabled plugin", () => {
    expect(rowSignal(pluginRecord({ status: "disabled" }), { state: "failed" })).toBeNull();
  });
});

describe("status", () => {
  it("has no badge for running and disabled", () => {
    expect([statusBadge("running"), statusBadge("disabled")]).toEqual([null, null]);
    expect(statusBadge("starting")).toMatchObject({ isBusy: true, tone: "neutral" });
    expect(statusBadge("needs-configuration")).toEqual({ label: "Setup required", tone: "warning" });
  });

  it("hints at what helps a plugin of that source", () => {
    expect(statusHint(pluginRecord({ status: "error" }))).toMatch(/Edit .* reload/);
    expect(statusHint(pluginRecord({ status: "error", source: "npm:x" }))).toMatch(/Install .* again, or update/);
    expect(statusHint(pluginRecord())).toBeNull();
  });
});

describe("lists of plugins", () => {
  const records = [
    pluginRecord({ id: "b", name: "beta" }),
    pluginRecord({ id: "z", name: "Alpha", enabled: false }),
    pluginRecord({ id: "c", name: "Alpha", source: "npm:svc-plugin-gamma@^1" }),
  ];
  it("are sorted by name, enabled ones first", () => {
    expect(sortPlugins(records).map(({ id }) => id)).toEqual(["c", "b", "z"]);
  });
  it("are searched for every word", () => {
    expect(searchPlugins(records, "ALPHA gamma").map(({ id }) => id)).toEqual(["c"]);
    expect(searchPlugins(records, " ")).toHaveLength(3);
    expect(searchPlugins(records, "delta")).toEqual([]);
  });
});

describe("toInstallRequest", () => {
  const form = (more: Partial<typeof kEmptyInstallForm>) => toInstallRequest({ ...kEmptyInstallForm, ...more });
  it("asks for a source", () => {
    expect(form({ source: "  " })).toMatchObject({ field: "source" });
  });
  it("leaves the choice inside a repository away for sources that hold one plugin", () => {
    expect(form({ source: " /p ", kind: "entry", entry: "x", tagPrefix: "v-" })).toEqual({ request: { source: "/p" } });
  });
  it("selects inside a repository", () => {
    const source = "git:https://example.org/all.git";
    expect(form({ source, kind: "subdirectory", subdirectory: "plugins/a" })).toEqual({
      request: { source, selection: { kind: "subdirectory", path: "plugins/a" } },
    });
    expect(form({ source, kind: "entry", entry: "a", tagPrefix: "a-" })).toEqual({
      request: { source, selection: { kind: "entry", name: "a" }, tagPrefix: "a-" },
    });
    expect(form({ source, kind: "entry" })).toMatchObject({ field: "entry" });
    expect(form({ source, kind: "subdirectory" })).toMatchObject({ field: "subdirectory" });
  });
});

describe("jobProgress", () => {
  const job: InstallJob = {
    id: "job_1",
    source: "/p",
    state: "running",
    step: "",
    error: null,
    pluginId: null,
    createdAt: 0,
    finishedAt: null,
  };
  it("names the step", () => {
    expect(jobProgress({ ...job, state: "queued" })).toMatch(/Waiting/);
    expect(jobProgress(job)).toBe("Starting…");
    expect(jobProgress({ ...job, step: "building bundles" })).toBe("Building its bundles…");
    expect(jobProgress({ ...job, step: "downloading x" })).toBe("Downloading x…");
  });
});

describe("addUsage", () => {
  const usage = { id: "todo", cpuMs: 0, cpuPercent: 1, heapBytes: 2, loopDelayP99Ms: 3, calls: 0, errors: 0, restarts: 0 };
  it("turns totals into rates, and begins anew when the server did", () => {
    let history = addUsage(kNoUsage, { ...usage, calls: 100 }, 0);
    history = addUsage(history, { ...usage, calls: 110, errors: 1 }, 2000);
    history = addUsage(history, { ...usage, calls: 4 }, 4000);
    expect(history.samples.map(({ callsPerSecond }) => callsPerSecond)).toEqual([0, 5, 0]);
    expect(history.samples[1]?.errorsPerSecond).toBe(0.5);
  });
  it("keeps two minutes", () => {
    let history = kNoUsage;
    for (let index = 0; index <= kUsageSamples; index += 1) {
      history = addUsage(history, usage, index * 2000);
    }
    expect(history.samples).toHaveLength(kUsageSamples);
    expect(history.samples[0]?.at).toBe(2000);
  });
});

describe("format", () => {
  it("writes numbers as people read them", () => {
    expect([0, 1023, 1536, 5_403_800, 3 * 1024 ** 3].map(formatBytes)).toEqual(["0 B", "1023 B", "1.5 KiB", "5.2 MiB", "3.0 GiB"]);
    expect([0, 0.2, 12.34, 450, 4100, 180_000].map(formatDuration)).toEqual(["0 ms", "200 µs", "12.3 ms", "450 ms", "4.1 s", "3 min"]);
    expect([counted(1, "entry", "entries"), counted(2, "entry", "entries")]).toEqual(["1 entry", "2 entries"]);
  });
  it("says how far away a time is", () => {
    expect([formatRelative(240_000, 0), formatRelative(0, 7_200_000), formatRelative(0, 0)]).toEqual([
      "in 4 minutes",
      "2 hours ago",
      "now",
    ]);
  });
});
