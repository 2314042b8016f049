import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { createStore, isSameList, useStore } from "@/lib/store";

afterEach(cleanup);

describe("createStore", () => {
  it("tells its listeners of another value, not of an equal one", () => {
    const store = createStore(1);
    const listener = vi.fn();
    const stop = store.subscribe(listener);
    store.set(1);
    expect(listener).not.toHaveBeenCalled();
    store.update((value) => value + 1);
    expect(listener).toHaveBeenCalledOnce();
    expect(store.get()).toBe(2);
    stop();
    store.set(3);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("runs what it needs only while somebody follows it", () => {
    const stopped = vi.fn();
    const whileFollowed = vi.fn(() => stopped);
    const store = createStore(1, { whileFollowed });
    expect(whileFollowed).not.toHaveBeenCalled();
    const stops = [store.subscribe(() => undefined), store.subscribe(() => undefined)];
    expect(whileFollowed).toHaveBeenCalledOnce();
    stops[0]!();
    stops[0]!();
    expect(stopped).not.toHaveBeenCalled();
    stops[1]!();
    expect(stopped).toHaveBeenCalledOnce();
  });
});

describe("useStore", () => {
  it("renders a component only for what it selects", () => {
    const store = createStore<ReadonlyMap<string, number>>(new Map());
    const rendered: string[] = [];
    function Part({ name }: { name: string }) {
      rendered.push(name);
      return <p>{`${name} ${useStore(store, (all) => all.get(name)) ?? "none"}`}</p>;
    }
    render(
      <>
        <Part name="a" />
        <Part name="b" />
      </>,
    );
    rendered.length = 0;
    act(() => store.update((all) => new Map(all).set("b", 2)));
    expect(screen.getByText("b 2")).toBeTruthy();
    expect(rendered).toEqual(["b"]);
  });

  it("keeps a list that has the same members", () => {
    const store = createStore([1, 2, 3]);
    const seen = new Set<readonly number[]>();
    const odd = (all: number[]) => all.filter((value) => value % 2 === 1);
    function Odd() {
      const list = useStore(store, odd, isSameList);
      seen.add(list);
      return <p>{list.join(" ")}</p>;
    }
    render(<Odd />);
    act(() => store.set([1, 3, 4]));
    expect(seen.size).toBe(1);
    act(() => store.set([1, 3, 5]));
    expect(screen.getByText("1 3 5")).toBeTruthy();
  });
});
