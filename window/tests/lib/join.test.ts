import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createJoiner } from "@/lib/join";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("createJoiner", () => {
  it("runs the first call at once and joins those that follow", () => {
    const run = vi.fn();
    const call = createJoiner(run, { waitMs: 250, maxMs: 1000 });
    call();
    expect(run).toHaveBeenCalledTimes(1);
    call();
    vi.advanceTimersByTime(200);
    call();
    vi.advanceTimersByTime(249);
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("runs at the latest after the longest wait, and once", () => {
    const run = vi.fn();
    const call = createJoiner(run, { waitMs: 250, maxMs: 1000 });
    call();
    for (let time = 0; time < 1000; time += 100) {
      call();
      vi.advanceTimersByTime(100);
    }
    expect(run).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5000);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("runs nothing for a single call afterwards, and the next one at once again", () => {
    const run = vi.fn();
    const call = createJoiner(run, { waitMs: 250, maxMs: 1000 });
    call();
    vi.advanceTimersByTime(1000);
    expect(run).toHaveBeenCalledTimes(1);
    call();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("forgets what waits when it is cancelled", () => {
    const run = vi.fn();
    const call = createJoiner(run, { waitMs: 250, maxMs: 1000 });
    call();
    call();
    call.cancel();
    vi.advanceTimersByTime(5000);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
