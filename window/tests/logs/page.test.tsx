import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import PluginLogsPage from "@/pages/logs/plugin";
import ServerLogPage from "@/pages/logs/server";
import { kLogFollow } from "@/pages/logs/log_model";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { pluginRecord } from "../plugins_pages/fixtures";
import { renderPage, resetWindow } from "../plugins_pages/render_page";
import { pretendLayout } from "../setup/layout";

let service: FakeService;
let lines: string[];

function write(message: string, more: Record<string, unknown> = {}): void {
  const seq = lines.length + 1;
  lines.push(JSON.stringify({ seq, ts: seq, level: "info", generation: 1, source: "server", message, ...more }));
}

beforeEach(() => {
  pretendLayout();
  lines = [];
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [pluginRecord()] }))
    .on("GET /plugins/todo", () => ({ plugin: pluginRecord() }))
    .on("GET /plugins/todo/logs", ({ query }) => {
      const after = Number(query.get("after") ?? 0);
      return { lines: lines.slice(after).slice(-Number(query.get("tail"))), cursor: lines.length };
    })
    .install();
});
afterEach(() => {
  vi.useRealTimers();
  resetWindow();
});

const show = () => renderPage("/settings/plugins/:pluginId/logs", PluginLogsPage, "/settings/plugins/todo/logs");
const reads = () => service.requests.filter(({ path }) => path === "/plugins/todo/logs");

describe("the log page", () => {
  it("says that nothing was written yet", async () => {
    show();
    expect(await screen.findByText("The log is empty")).toBeTruthy();
  });

  it("follows by the cursor while it is visible", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    write("first");
    show();
    expect(await screen.findByText("first")).toBeTruthy();
    write("second");
    await act(() => vi.advanceTimersByTimeAsync(kLogFollow));
    expect(await screen.findByText("second")).toBeTruthy();
    expect(reads().at(-1)?.query.get("after")).toBe("1");
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    await act(() => vi.advanceTimersByTimeAsync(kLogFollow));
    const count = reads().length;
    await act(() => vi.advanceTimersByTimeAsync(10 * kLogFollow));
    expect(reads()).toHaveLength(count);
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
    write("third");
    await act(async () => void document.dispatchEvent(new Event("visibilitychange")));
    expect(await screen.findByText("third")).toBeTruthy();
  });

  it("goes on after a failure", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    write("first");
    show();
    await screen.findByText("first");
    service.on("GET /plugins/todo/logs", () => {
      throw new Refusal(503, "overloaded", "too many readers");
    });
    await act(() => vi.advanceTimersByTimeAsync(kLogFollow));
    expect(await screen.findByText("too many readers")).toBeTruthy();
    service.on("GET /plugins/todo/logs", () => ({ lines: [], cursor: 1 }));
    await act(() => vi.advanceTimersByTimeAsync(2 * kLogFollow));
    await waitFor(() => expect(screen.queryByText("too many readers")).toBeNull());
    expect(screen.getByText("first")).toBeTruthy();
  });

  it("filters by text and says so when nothing is left", async () => {
    write("apples");
    write("pears");
    show();
    await screen.findByText("apples");
    const search = screen.getByRole("searchbox", { name: "Search the log" });
    await userEvent.type(search, "PEAR");
    expect(screen.queryByText("apples")).toBeNull();
    expect(screen.getByText("1 of 2 lines")).toBeTruthy();
    await userEvent.type(search, "x");
    await userEvent.click(await screen.findByRole("button", { name: "Show all lines" }));
    expect(await screen.findByText("apples")).toBeTruthy();
  });

  it("expands a stack on request", async () => {
    write("failed", { level: "error", stack: "Error: failed\n    at deep (server.ts:9:1)" });
    show();
    const toggle = await screen.findByRole("button", { name: /^Expand the line/ });
    expect(screen.queryByText(/server.ts:9:1/)).toBeNull();
    await userEvent.click(toggle);
    expect(screen.getByText(/server.ts:9:1/)).toBeTruthy();
    expect(toggle.getAttribute("aria-expanded")).toBe("true");
  });

  it("draws few of many lines, announces none of them", async () => {
    for (let index = 0; index < 1000; index += 1) {
      write(`line ${index}`);
    }
    show();
    await screen.findByText("1,000 lines");
    const items = screen.getAllByRole("listitem");
    expect(items.length).toBeLessThan(100);
    expect(items[0]?.getAttribute("aria-setsize")).toBe("1000");
    const list = screen.getByRole("region", { name: "Log lines" });
    expect(list.closest("[aria-live]")).toBeNull();
  });

  it("reads older lines when asked to", async () => {
    for (let index = 0; index < 1200; index += 1) {
      write(`line ${index}`);
    }
    show();
    await screen.findByText("1,000 lines");
    await userEvent.click(screen.getByRole("button", { name: "Load older lines" }));
    expect(await screen.findByText("1,200 lines")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Load older lines" })).toBeNull();
  });
});

describe("the log of everything", () => {
  const serverLine = (message: string, more: Record<string, unknown> = {}) =>
    JSON.stringify({ ts: 5, level: "info", logger: "plugins", message, ...more });

  it("shows lines of plugins and of the server, and follows them", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    service.on("GET /system/log", ({ query }) =>
      query.get("after") === "1.1.20"
        ? { lines: [serverLine("a window connected", { logger: "realtime" })], cursor: "1.1.40", anew: false }
        : {
            lines: query.has("after") ? [] : [serverLine("[todo#1] saved\nwith more")],
            cursor: query.get("after") ?? "1.1.20",
            anew: false,
          },
    );
    renderPage("/settings/log", ServerLogPage, "/settings/log");
    expect(await screen.findByText("saved")).toBeTruthy();
    expect(screen.getByText("[todo]")).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(kLogFollow));
    expect(await screen.findByText("a window connected")).toBeTruthy();
    expect(screen.getByText("[realtime]")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /^Expand the line/ }));
    expect(screen.getByRole("link", { name: "All lines of todo" }).getAttribute("href")).toBe("/settings/plugins/todo/logs");
  });
});
