import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { usePolling } from "@/lib/polling";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function Reader({ read }: { read: (signal: AbortSignal) => Promise<void> }) {
  usePolling(read, 1000);
  return null;
}

function show(visibility: DocumentVisibilityState): void {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(visibility);
  document.dispatchEvent(new Event("visibilitychange"));
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

describe("usePolling", () => {
  it("reads at once, and again a while after each reading ended", async () => {
    let end: (() => void) | undefined;
    const read = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
    render(<Reader read={read} />);
    await pass(5000);
    expect(read).toHaveBeenCalledOnce();
    end!();
    await pass(999);
    expect(read).toHaveBeenCalledOnce();
    await pass(1);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("rests while the page is hidden, and reads when it is shown again", async () => {
    const read = vi.fn(() => Promise.resolve());
    render(<Reader read={read} />);
    await pass(0);
    show("hidden");
    await pass(5000);
    expect(read).toHaveBeenCalledOnce();
    show("visible");
    await pass(0);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("aborts the reading of what is no longer asked for", async () => {
    const signals: AbortSignal[] = [];
    const read = () => (signal: AbortSignal) => {
      signals.push(signal);
      return Promise.resolve();
    };
    const { rerender, unmount } = render(<Reader read={read()} />);
    rerender(<Reader read={read()} />);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    unmount();
    expect(signals[1]!.aborted).toBe(true);
    await pass(5000);
    expect(signals).toHaveLength(2);
  });
});
