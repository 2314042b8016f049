import { act, cleanup, render, screen } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { watchPortals } from "@/plugins/portals";
import { StyleSheets } from "@/plugins/style_sheets";
import { styleSheets, useStyles } from "@/plugins/styles";

import { catchLinks, fail, links, load, preloads } from "./fake_links";

let sheets: StyleSheets;
const signal = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
  catchLinks();
  sheets = new StyleSheets();
});
afterEach(() => {
  cleanup();
  styleSheets.clear("a");
  vi.runAllTimers();
  document.head.innerHTML = "";
  document.body.innerHTML = "";
  vi.useRealTimers();
});

async function use(url: string | null, of = sheets): Promise<void> {
  (await of.prepare("a", url, signal)).commit();
}

describe("StyleSheets", () => {
  it("preloads with low priority and attaches only while held", async () => {
    await use("/1.css");
    vi.advanceTimersByTime(0);
    expect(links()).toEqual([]);
    expect(preloads()).toEqual(["/1.css low"]);
    const release = sheets.hold("a");
    expect(links()).toEqual(["/1.css all"]);
    expect(preloads()).toEqual([]);
    release();
    release();
    vi.advanceTimersByTime(1499);
    expect(links()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(links()).toEqual([]);
  });

  it("stays for a holder that comes within the wait, and for the last of several", async () => {
    await use("/1.css");
    const first = sheets.hold("a");
    const second = sheets.hold("a");
    first();
    vi.advanceTimersByTime(5000);
    expect(links()).toHaveLength(1);
    second();
    vi.advanceTimersByTime(1000);
    const third = sheets.hold("a");
    vi.advanceTimersByTime(5000);
    expect(links()).toHaveLength(1);
    third();
    vi.advanceTimersByTime(1500);
    expect(links()).toEqual([]);
  });

  it("loads a changed sheet without effect beside the one in use, and swaps on commit", async () => {
    await use("/1.css");
    sheets.hold("a");
    load("/1.css");
    const prepared = sheets.prepare("a", "/2.css", signal);
    expect(links()).toEqual(["/1.css all", "/2.css not all"]);
    load("/2.css");
    const sheet = await prepared;
    expect(links()).toEqual(["/1.css all", "/2.css not all"]);
    sheet.commit();
    expect(links()).toEqual(["/2.css all"]);
    expect(sheets.isReady("a")).toBe(true);
  });

  it("leaves the one in use alone when the changed one cannot be loaded", async () => {
    await use("/1.css");
    sheets.hold("a");
    load("/1.css");
    const prepared = sheets.prepare("a", "/2.css", signal);
    fail("/2.css");
    await expect(prepared).rejects.toThrow("could not be loaded");
    expect(links()).toEqual(["/1.css all"]);
  });

  it("forgets a changed one that is not wanted any more", async () => {
    await use("/1.css");
    sheets.hold("a");
    load("/1.css");
    const controller = new AbortController();
    const prepared = sheets.prepare("a", "/2.css", controller.signal);
    controller.abort();
    await expect(prepared).rejects.toThrow();
    expect(links()).toEqual(["/1.css all"]);
    const discarded = sheets.prepare("a", "/3.css", signal);
    load("/3.css");
    (await discarded).discard();
    expect(links()).toEqual(["/1.css all"]);
  });

  it("gives up a sheet that does not load within 30 s", async () => {
    await use("/1.css");
    sheets.hold("a");
    const prepared = expect(sheets.prepare("a", "/2.css", signal)).rejects.toThrow("30 s");
    await vi.advanceTimersByTimeAsync(30_000);
    await prepared;
  });

  it("does not wait for a sheet that nothing uses", async () => {
    await use("/1.css");
    await use("/2.css");
    expect(links()).toEqual([]);
    sheets.hold("a");
    expect(links()).toEqual(["/2.css all"]);
  });

  it("keeps the old one until the new one is there when it came into use meanwhile", async () => {
    await use("/1.css");
    const sheet = await sheets.prepare("a", "/2.css", signal);
    sheets.hold("a");
    load("/1.css");
    sheet.commit();
    expect(links()).toEqual(["/1.css all", "/2.css all"]);
    load("/2.css");
    await vi.advanceTimersByTimeAsync(0);
    expect(links()).toEqual(["/2.css all"]);
  });

  it("removes the sheet when the new version has none, and when the plugin is gone", async () => {
    await use("/1.css");
    const release = sheets.hold("a");
    await use(null);
    expect(links()).toEqual([]);
    expect(sheets.isReady("a")).toBe(true);
    const again = use("/1.css");
    load("/1.css");
    await again;
    expect(links()).toEqual(["/1.css all"]);
    sheets.clear("a");
    // What is still mounted goes in the same turn, and looks right until then.
    expect(links()).toEqual(["/1.css all"]);
    release();
    vi.advanceTimersByTime(1500);
    expect(links()).toEqual([]);
  });

  it("reports a sheet in use that cannot be loaded, shows the plugin without it, and tries again with the next holder", async () => {
    const failed = vi.fn();
    sheets.onFailure = failed;
    await use("/1.css");
    sheets.hold("a")();
    expect(sheets.isReady("a")).toBe(false);
    fail("/1.css");
    await vi.advanceTimersByTimeAsync(0);
    expect(failed).toHaveBeenCalledExactlyOnceWith("a", "/1.css");
    expect(sheets.isReady("a")).toBe(true);
    sheets.hold("a");
    expect(links()).toEqual(["/1.css all"]);
  });
});

describe("useStyles", () => {
  function Styled() {
    return useStyles("a") ? <p>shown</p> : null;
  }

  it("shows a mount once its sheet is there, under StrictMode too", async () => {
    await use("/1.css", styleSheets);
    const { unmount } = render(<Styled />, { wrapper: StrictMode });
    expect(screen.queryByText("shown")).toBeNull();
    expect(links()).toEqual(["/1.css all"]);
    load("/1.css");
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(screen.getByText("shown")).toBeTruthy();
    unmount();
    vi.advanceTimersByTime(1500);
    expect(links()).toEqual([]);
  });

  it("does not wait for ever", async () => {
    await use("/1.css", styleSheets);
    render(<Styled />);
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(screen.getByText("shown")).toBeTruthy();
  });
});

describe("watchPortals", () => {
  it("holds while an overlay of the plugin is beside the root", async () => {
    const release = vi.fn();
    const hold = vi.fn(() => release);
    const stop = watchPortals(hold);
    const portal = document.createElement("div");
    portal.innerHTML = '<div><div data-svc-plugin="a" data-svc-portaled-overlay=""></div></div><p data-svc-plugin="b"></p>';
    document.body.append(portal);
    await vi.advanceTimersByTimeAsync(10);
    expect(hold).toHaveBeenCalledExactlyOnceWith("a");
    portal.remove();
    await vi.advanceTimersByTimeAsync(10);
    expect(release).toHaveBeenCalledOnce();
    document.body.append(portal);
    await vi.advanceTimersByTimeAsync(10);
    stop();
    expect(release).toHaveBeenCalledTimes(2);
  });
});
