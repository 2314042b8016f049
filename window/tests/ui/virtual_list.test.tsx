import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createRef, type Ref } from "react";

import { VirtualList, type VirtualListHandle } from "@/ui/virtual_list";

import { pretendLayout } from "../setup/layout";

interface Item {
  id: number;
}

const kRow = 20;
const range = (from: number, end: number): Item[] => Array.from({ length: end - from }, (_, index) => ({ id: from + index }));

interface Shown {
  items: readonly Item[];
  isFollowing?: boolean;
  onFollowing?(isFollowing: boolean): void;
  ref?: Ref<VirtualListHandle>;
}

const list = (shown: Shown) => (
  <VirtualList label="Numbers" keyOf={(item: Item) => `n${item.id}`} estimatedHeight={kRow} {...shown}>
    {(item) => <button type="button">{`number ${item.id}`}</button>}
  </VirtualList>
);
const region = () => screen.getByRole("region", { name: "Numbers" });
const rows = () => screen.getAllByRole("listitem").map((row) => row.textContent);

/** As somebody does it who reads: the position changes, then the event comes. */
function scrollTo(top: number): void {
  region().scrollTop = top;
  fireEvent.scroll(region());
}

beforeEach(() => pretendLayout({ view: 200, row: kRow }));
afterEach(cleanup);

describe("VirtualList", () => {
  it("draws the rows in view and some around them, and says which of how many they are", () => {
    render(list({ items: range(0, 10_000) }));
    expect(rows()[0]).toBe("number 0");
    expect(rows().length).toBeLessThan(40);
    scrollTo(5000 * kRow);
    expect(rows()).toContain("number 5000");
    expect(rows()).not.toContain("number 0");
    const row = screen.getByText("number 5000").closest("li");
    expect([row?.ariaPosInSet ?? row?.getAttribute("aria-posinset"), row?.getAttribute("aria-setsize")]).toEqual(["5001", "10000"]);
  });

  it("can be scrolled with keys", () => {
    render(list({ items: range(0, 100) }));
    expect(region().tabIndex).toBe(0);
  });

  it("keeps what is read in its place when items come before it", () => {
    const { rerender } = render(list({ items: range(1000, 2000) }));
    scrollTo(500 * kRow);
    rerender(list({ items: range(0, 2000) }));
    expect(region().scrollTop).toBe(1500 * kRow);
    rerender(list({ items: range(1200, 2000) }));
    expect(region().scrollTop).toBe(300 * kRow);
  });

  it("draws a row that is asked for wherever it is, and says what is around the view", () => {
    const handle = createRef<VirtualListHandle>();
    render(list({ items: range(0, 1000), ref: handle }));
    expect(handle.current?.draw("n700")?.textContent).toBe("number 700");
    expect(region().scrollTop).toBeGreaterThan(600 * kRow);
    expect(handle.current?.draw("nobody")).toBeNull();
    scrollTo(100 * kRow);
    expect(handle.current?.inView()).toEqual({ before: "n99", after: "n110" });
    scrollTo(0);
    expect(handle.current?.inView().before).toBeNull();
  });

  it("stays at the end while it follows", () => {
    const { rerender } = render(list({ items: range(0, 100), isFollowing: true }));
    expect(region().scrollTop).toBe(90 * kRow);
    rerender(list({ items: range(0, 300), isFollowing: true }));
    expect(region().scrollTop).toBe(290 * kRow);
    rerender(list({ items: range(0, 500), isFollowing: false }));
    expect(region().scrollTop).toBe(290 * kRow);
  });

  it("follows from the end on, and no more once somebody scrolls up", () => {
    const onFollowing = vi.fn();
    render(list({ items: range(0, 100), onFollowing }));
    scrollTo(50 * kRow);
    expect(onFollowing).not.toHaveBeenCalled();
    scrollTo(90 * kRow);
    expect(onFollowing).toHaveBeenLastCalledWith(true);
    scrollTo(80 * kRow);
    expect(onFollowing).toHaveBeenLastCalledWith(false);
  });

  it("follows no more from the key or the turn of the wheel on that leads up, before the view has moved", () => {
    const onFollowing = vi.fn();
    render(list({ items: range(0, 100), isFollowing: true, onFollowing }));
    fireEvent.keyDown(region(), { key: "PageDown" });
    fireEvent.keyDown(screen.getAllByRole("button").at(0) as HTMLElement, { key: "ArrowUp" });
    fireEvent.wheel(region(), { deltaY: 40 });
    expect(onFollowing).not.toHaveBeenCalledWith(false);
    fireEvent.keyDown(region(), { key: "PageUp" });
    expect(onFollowing.mock.calls).toEqual([[false]]);
    fireEvent.wheel(region(), { deltaY: -40 });
    expect(onFollowing.mock.calls).toEqual([[false], [false]]);
  });

  it("does not go back to the end on the first steps of a way up", () => {
    const onFollowing = vi.fn();
    const { rerender } = render(list({ items: range(0, 100), isFollowing: true, onFollowing }));
    scrollTo(90 * kRow);
    onFollowing.mockClear();
    rerender(list({ items: range(0, 100), isFollowing: false, onFollowing }));
    scrollTo(90 * kRow - 3);
    expect(onFollowing).not.toHaveBeenCalledWith(true);
  });

  it("goes on following where all of it is in view", () => {
    const onFollowing = vi.fn();
    render(list({ items: range(0, 5), isFollowing: true, onFollowing }));
    fireEvent.keyDown(region(), { key: "PageUp" });
    fireEvent.wheel(region(), { deltaY: -40 });
    expect(onFollowing).not.toHaveBeenCalledWith(false);
  });

  it("keeps the row that has the focus", () => {
    render(list({ items: range(0, 1000) }));
    const button = screen.getByRole("button", { name: "number 3" });
    act(() => button.focus());
    scrollTo(500 * kRow);
    expect(document.activeElement).toBe(button);
    expect(rows().slice(0, 1)).toEqual(["number 3"]);
    act(() => button.blur());
    expect(rows()).not.toContain("number 3");
  });

  it("has nothing to show without items", () => {
    render(list({ items: [], isFollowing: true }));
    expect(screen.queryAllByRole("listitem")).toEqual([]);
  });
});
