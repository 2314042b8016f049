import { act, cleanup, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { split } from "@/plugins/split";
import { kHooks } from "@/sdk_app/hooks";
import { kThreadActions } from "@/sdk_app/thread_actions";
import { dropAt } from "@/sdk_app/thread_split";

import { renderHookInMount, reply } from "./mounts";

const toThread = vi.hoisted(() => vi.fn());
vi.mock("@/lib/navigation", async (original) => {
  const real = await original<{ navigation: object }>();
  return { ...real, navigation: { ...real.navigation, toThread } };
});

const kThread = {
  projectId: "p1",
  environmentId: "e1",
  status: "idle",
  visibility: "visible",
  title: "T",
  archivedAt: null,
  activity: {},
  environmentHostId: "h1",
  environmentBranchName: "b",
  environmentWorkspaceDisplayKind: "other",
};
const fetchMock = vi.fn<typeof fetch>();
const kPull = { number: 7, title: "Doors", url: "https://x/7", state: "open", attention: "none", checks: [] };

/** The area of the content, 900 pixels wide beside a sidebar of 100. */
function showArea(): void {
  const area = document.createElement("div");
  area.dataset.splitArea = "";
  area.getBoundingClientRect = () => new DOMRect(100, 0, 900, 600);
  document.body.append(area);
}

beforeEach(() => {
  queryClient.clear();
  toThread.mockReset();
  split.setRoom(900);
  vi.stubGlobal("fetch", fetchMock);
  const answers: Record<string, unknown> = {
    threads: [
      { ...kThread, id: "t1" },
      { ...kThread, id: "t2" },
      { ...kThread, id: "t3", environmentBranchName: null },
    ],
    projects: [],
    hosts: [],
  };
  fetchMock.mockImplementation(async (target) => {
    const name = new URL(target as URL).pathname.split("/").at(-1)!;
    return name === "pull-request"
      ? reply(200, { ok: true, outcome: "available", pullRequest: kPull })
      : reply(200, { ok: true, ...(name === "config" ? { records: Object.keys(answers) } : { [name]: answers[name] }) });
  });
});
afterEach(() => {
  act(() => split.close());
  cleanup();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const pointer = (type: string, clientX: number, clientY = 300) =>
  act(() => void window.dispatchEvent(new MouseEvent(type, { clientX, clientY, bubbles: true })));

describe("experimental_useSidebarThreadSplit", () => {
  const splitOf = async (id: string, at = "/") => {
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreadSplit(id), { at });
    await waitFor(() => expect(seen.current.isAvailable).toBe(true));
    return seen;
  };
  const press = (seen: Awaited<ReturnType<typeof splitOf>>, more = {}) =>
    seen.current.splitProps.onPointerDown!({ button: 0, pointerType: "mouse", clientX: 20, clientY: 300, ...more });

  it("opens what is dragged to a side of the content beside the page, and in its place what is dropped in the middle", async () => {
    showArea();
    const seen = await splitOf("t2");
    press(seen);
    pointer("pointermove", 950);
    expect(document.querySelector("[data-split-landing]")).not.toBeNull();
    pointer("pointerup", 950);
    expect(document.querySelector("[data-split-landing]")).toBeNull();
    expect(split.now().page).toEqual({ threadId: "t2" });
    press(seen);
    pointer("pointermove", 550);
    pointer("pointerup", 550);
    expect(toThread).toHaveBeenCalledWith("t2");
  });

  it("leaves clicks, touches, what is let go elsewhere and what Escape ends alone", async () => {
    showArea();
    const seen = await splitOf("t2");
    press(seen);
    pointer("pointermove", 22);
    pointer("pointerup", 22);
    press(seen);
    pointer("pointermove", 60);
    pointer("pointerup", 60);
    press(seen, { pointerType: "touch" });
    pointer("pointermove", 950);
    pointer("pointerup", 950);
    press(seen);
    pointer("pointermove", 950);
    act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })));
    pointer("pointerup", 950);
    expect(split.now().page).toBeNull();
    expect(toThread).not.toHaveBeenCalled();
  });

  it.each([
    ["dropped", () => undefined],
    ["given up", () => act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })))],
  ])("refuses the click of a drag that is %s, and none after it", async (_, meanwhile) => {
    showArea();
    const seen = await splitOf("t2");
    press(seen);
    pointer("pointermove", 950);
    meanwhile();
    pointer("pointerup", 950);
    const isRefused = () => !window.dispatchEvent(new MouseEvent("click", { cancelable: true }));
    expect(isRefused()).toBe(true);
    await vi.waitFor(() => expect(isRefused()).toBe(false));
  });

  it("opens threads that are in no list when the service has them, and ignores others", async () => {
    const answer = fetchMock.getMockImplementation()!;
    fetchMock.mockImplementation(async (target, init) =>
      new URL(target as URL).pathname.endsWith("/threads/gone")
        ? reply(404, { ok: false, error: { code: "not_found", message: "no such thread" } })
        : answer(target, init),
    );
    kThreadActions.open("gone");
    kThreadActions.open("gone", { split: true });
    kThreadActions.open("archived");
    await vi.waitFor(() => expect(toThread).toHaveBeenCalledExactlyOnceWith("archived"));
    expect(split.now().page).toBeNull();
  });

  it("shows both panes to the threads in them, and nothing to others", async () => {
    const mine = await splitOf("t1", "/threads/t1");
    expect(mine.current.layout).toBeNull();
    act(() => split.openThread("t2"));
    act(() => split.setWidth(450));
    const half = { y: 0, width: 0.5, height: 1 };
    expect(mine.current.layout).toEqual({
      panes: [
        { paneId: "page", rect: { x: 0, ...half }, isMe: true, isFocused: true },
        { paneId: "split", rect: { x: 0.5, ...half }, isMe: false, isFocused: false },
      ],
    });
    const other = await splitOf("t3", "/threads/t1");
    expect(other.current.layout).toBeNull();
  });

  it("has places", () => {
    const area = { left: 100, top: 0, width: 900, height: 600 };
    expect(dropAt(120, 10, area)).toBe("beside");
    expect(dropAt(550, 10, area)).toBe("instead");
    expect(dropAt(50, 10, area)).toBeNull();
    expect(dropAt(550, 700, area)).toBeNull();
  });
});

describe("experimental_useSidebarThreadPullRequest", () => {
  it("tells of the pull request of the thread's branch, once for all rows", async () => {
    const { seen } = renderHookInMount(() => ["t1", "t2", "t3"].map((id) => kHooks.experimental_useSidebarThreadPullRequest(id)));
    const { number, title, url, state, attention } = kPull;
    await waitFor(() => expect(seen.current[1]).toEqual({ isLoading: false, pullRequest: { number, title, url, state, attention } }));
    expect(seen.current[2]).toEqual({ isLoading: false, pullRequest: null });
    const asked = fetchMock.mock.calls.filter(([target]) => String(target).includes("pull-request"));
    expect(asked).toHaveLength(1);
  });
});
