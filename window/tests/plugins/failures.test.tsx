import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { pluginOfStack, watchUncaught } from "@/plugins/attribution";
import { describeFailure, diagnosticsNow, exposeDiagnostics, forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { explainCrash } from "@/plugins/explain";
import { addPluginUnsupported, addPluginWarning, reportPluginFailure } from "@/plugins/failures";
import { useDiagnostics } from "@/plugins/registry";
import { createReporter, kReportsPerMinute } from "@/plugins/report";
import { setThreadRowStatus, useThreadRowStatuses } from "@/plugins/thread_rows";

const fetchMock = vi.fn(async () => new Response('{"ok":true}'));

beforeEach(() => {
  vi.stubGlobal("fetch", fetchMock);
  fetchMock.mockClear();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  forgetDiagnostics("todo");
  vi.unstubAllGlobals();
});

const kStack = `Error: x
    at helper (http://h/assets/index-abc.js:1:2)
    at f (http://h/base/api/v1/plugins/my-todo/assets/app.js?h=1&r=2:3:4)
    at g (http://h/base/api/v1/plugins/other/assets/app.js?h=1:3:4)`;
const thrown = (message: string) => Object.assign(new Error(message), { stack: kStack });

describe("pluginOfStack", () => {
  it("is the nearest bundle in the stack", () => {
    expect(pluginOfStack(kStack)).toBe("my-todo");
    expect(pluginOfStack("Error\n at http://h/assets/index.js:1:1\n at http://h/plugins/todo/page")).toBeNull();
    expect(pluginOfStack(undefined)).toBeNull();
  });
});

describe("watchUncaught", () => {
  it("records errors and rejections of bundles, and nothing of others", () => {
    const report = vi.fn();
    const stop = watchUncaught(window, report);
    const fire = (type: string, members: object) => window.dispatchEvent(Object.assign(new Event(type), members));
    const [first, second] = [thrown("one"), thrown("two")];
    fire("error", { error: first, message: "one", filename: "" });
    fire("unhandledrejection", { reason: second });
    fire("error", { error: undefined, message: "Script error.", filename: "http://h/api/v1/plugins/third/assets/app.js?h=1" });
    fire("error", { error: new Error("window"), message: "window", filename: "http://h/assets/index.js" });
    fire("unhandledrejection", { reason: null });
    fire("unhandledrejection", { reason: Object.assign(thrown("gone"), { name: "AbortError" }) });
    expect(report.mock.calls).toEqual([
      ["my-todo", "render", first],
      ["my-todo", "render", second],
      ["third", "render", "Script error."],
    ]);
    stop();
    fire("error", { error: first, message: "one", filename: "" });
    expect(report).toHaveBeenCalledTimes(3);
  });
});

describe("diagnostics", () => {
  it("keeps the last failure and tells the service", async () => {
    updateDiagnostics("todo", { hash: "h1", generation: 3 });
    reportPluginFailure("todo", "render", thrown("boom"), "navPanel main");
    expect(diagnosticsNow("todo")!.lastFailure).toMatchObject({ phase: "render", message: "boom", stack: kStack, slot: "navPanel main" });
    const reports = () => (fetchMock.mock.calls as unknown as [URL | string, RequestInit][]).filter(([, init]) => init?.method === "POST");
    await vi.waitFor(() => expect(reports()).toHaveLength(1));
    const [target, init] = reports()[0] as [URL, RequestInit];
    expect(target.pathname).toBe("/api/v1/plugins/todo/app-report");
    expect(JSON.parse(init.body as string)).toEqual({
      hash: "h1",
      generation: 3,
      phase: "render",
      slot: "navPanel main",
      message: "boom",
      stack: kStack,
    });
  });

  it("takes the same failure within a second for one", () => {
    vi.useFakeTimers();
    updateDiagnostics("todo", {});
    const fail = (message: string) => reportPluginFailure("todo", "render", new Error(message));
    fail("tick");
    const first = diagnosticsNow("todo");
    vi.advanceTimersByTime(999);
    fail("tick");
    expect(diagnosticsNow("todo")).toBe(first);
    expect(fetchMock).toHaveBeenCalledTimes(1);
    fail("tock");
    vi.advanceTimersByTime(1000);
    fail("tock");
    expect(fetchMock).toHaveBeenCalledTimes(3);
  });

  it("collects a warning and an unsupported name once", () => {
    updateDiagnostics("todo", {});
    addPluginWarning("todo", 'unknown icon "Sparkle"');
    addPluginWarning("todo", 'unknown icon "Sparkle"');
    addPluginUnsupported("todo", "useBrowserTabs");
    addPluginUnsupported("todo", "useBrowserTabs");
    addPluginWarning("gone", "x");
    expect(diagnosticsNow("todo")).toMatchObject({ warnings: ['unknown icon "Sparkle"'], unsupported: ["useBrowserTabs"] });
    expect(diagnosticsNow("gone")).toBeUndefined();
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });

  it("shows in components and in the window", () => {
    function State() {
      return <p>{useDiagnostics("todo")?.state ?? "none"}</p>;
    }
    const { rerender } = render(<State />);
    expect(screen.getByText("none")).toBeTruthy();
    updateDiagnostics("todo", { state: "stale" });
    rerender(<State />);
    expect(screen.getByText("stale")).toBeTruthy();
    const target: { __svcDiagnostics?: Record<string, { state: string }> } = {};
    exposeDiagnostics(target);
    expect(target.__svcDiagnostics!.todo!.state).toBe("stale");
    updateDiagnostics("todo", { state: "active" });
    expect(target.__svcDiagnostics!.todo!.state).toBe("active");
  });

  it("describes whatever was thrown", () => {
    expect(describeFailure(thrown("x"))).toEqual({ message: "x", stack: kStack });
    expect(describeFailure(Object.assign(new TypeError(""), { stack: undefined }))).toEqual({ message: "TypeError" });
    expect(describeFailure({ message: "of another realm" })).toEqual({ message: "of another realm" });
    expect(describeFailure("text")).toEqual({ message: "text" });
    expect(describeFailure(undefined)).toEqual({ message: "undefined" });
    expect(
      describeFailure(
        Object.defineProperty({}, "message", {
          get: () => {
            throw new Error("of its own");
          },
        }),
      ),
    ).toEqual({ message: "[object Object]" });
    expect(describeFailure(Object.create(null))).toEqual({ message: "a value that cannot be shown was thrown" });
  });
});

describe("createReporter", () => {
  it("sends at most 20 a minute, over all plugins, and never throws", () => {
    const send = vi.fn(() => Promise.reject(new Error("away")));
    let now = 0;
    const report = createReporter(send, () => now);
    const some = (count: number) => {
      for (let i = 0; i < count; i += 1) {
        report(`p${i}`, { hash: "", generation: 0, phase: "load", message: "x" });
      }
    };
    some(30);
    expect(send).toHaveBeenCalledTimes(kReportsPerMinute);
    now = 59_999;
    some(1);
    expect(send).toHaveBeenCalledTimes(20);
    now = 60_000;
    some(30);
    expect(send).toHaveBeenCalledTimes(40);
  });
});

describe("explainCrash", () => {
  it.each([
    "Invalid hook call. Hooks can only be called inside of the body of a function component.",
    "Minified React error #321; visit https://react.dev/errors/321",
    "Cannot read properties of null (reading 'useState')",
    "A React Element from an older version of React was rendered.",
  ])("names a second copy of React: %s", (message) => {
    expect(explainCrash(message)).toContain("second copy of React");
  });

  it("says in words what React says in numbers", () => {
    expect(explainCrash("Minified React error #31; visit https://react.dev/errors/31")).toMatch(
      /#31.* — an object was rendered as a child/,
    );
    expect(explainCrash("Minified React error #310; visit https://react.dev/errors/310")).toContain("more hooks were called");
    expect(explainCrash("Minified React error #9999; visit …")).toBe("Minified React error #9999; visit …");
  });

  it("leaves other messages alone", () => {
    expect(explainCrash("Cannot read properties of null (reading 'user')")).toBe("Cannot read properties of null (reading 'user')");
  });
});

describe("thread row statuses", () => {
  it("are those of one thread, by plugin, until they are withdrawn", () => {
    function Row() {
      return (
        <p>
          {useThreadRowStatuses("t1")
            .map(({ pluginId, label }) => `${pluginId} ${label}`)
            .join(", ") || "none"}
        </p>
      );
    }
    const of = (pluginId: string) => ({ pluginId, generation: 1, scriptId: "s" });
    setThreadRowStatus(of("b"), "t1", { icon: "X", label: "B" });
    setThreadRowStatus(of("a"), "t1", { icon: "X", label: "A" });
    setThreadRowStatus(of("a"), "t2", { icon: "X", label: "other" });
    const { rerender } = render(<Row />);
    expect(screen.getByText("a A, b B")).toBeTruthy();
    setThreadRowStatus(of("a"), "t1", null);
    setThreadRowStatus(of("b"), "t1", null);
    setThreadRowStatus(of("a"), "t2", null);
    rerender(<Row />);
    expect(screen.getByText("none")).toBeTruthy();
  });
});
