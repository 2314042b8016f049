import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Size, Terminal } from "@/api/terminals";
import { createSharedSize } from "@/terminals/shared_size";

import { terminalRecord } from "./fixtures";

const kOwn = { cols: 119, rows: 40 };
const kOthers = { cols: 73, rows: 23 };

let terminal: Terminal;
const resize = vi.fn((_id: string, size: Size) => {
  terminal = terminalRecord(size);
  return Promise.resolve(terminal);
});

beforeEach(() => {
  terminal = terminalRecord();
  resize.mockClear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

/** A window that shows the terminal, after the service has taken its size. */
function shown() {
  const size = createSharedSize("term_1", () => terminal, resize);
  size.want(kOwn);
  size.follow();
  vi.runAllTimers();
  return size;
}

describe("the size of a terminal that several windows show", () => {
  it("is that of the window that shows it last", () => {
    const size = shown();
    expect(resize.mock.calls).toEqual([["term_1", kOwn]]);
    expect(size.others.get()).toBeNull();
  });

  it("of another window is said, and left alone until this one is used", () => {
    const size = shown();
    terminal = terminalRecord(kOthers);
    size.follow();
    vi.runAllTimers();
    expect(size.others.get()).toEqual(kOthers);
    expect(resize).toHaveBeenCalledTimes(1);
    size.use();
    vi.runAllTimers();
    expect(resize.mock.lastCall).toEqual(["term_1", kOwn]);
    size.follow();
    expect(size.others.get()).toBeNull();
  });

  it("of another window is not taken back because something moved here", () => {
    const size = shown();
    terminal = terminalRecord(kOthers);
    size.follow();
    size.want({ ...kOwn, rows: 38 });
    vi.runAllTimers();
    expect(resize).toHaveBeenCalledTimes(1);
    expect(size.others.get()).toEqual(kOthers);
    size.use();
    vi.runAllTimers();
    expect(resize.mock.lastCall).toEqual(["term_1", { ...kOwn, rows: 38 }]);
  });

  it("costs no request while it is used as it is", () => {
    const size = shown();
    size.use();
    vi.runAllTimers();
    expect(resize).toHaveBeenCalledTimes(1);
  });

  it("is told once the terminal has started, and not after it has ended", () => {
    terminal = terminalRecord({ status: "starting" });
    const size = createSharedSize("term_1", () => terminal, resize);
    size.want(kOwn);
    vi.runAllTimers();
    expect(resize).not.toHaveBeenCalled();
    terminal = terminalRecord();
    size.follow();
    vi.runAllTimers();
    expect(resize).toHaveBeenCalledTimes(1);
    terminal = terminalRecord({ ...kOthers, status: "exited" });
    size.follow();
    expect(size.others.get()).toBeNull();
  });
});
