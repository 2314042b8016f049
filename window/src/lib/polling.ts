import { useEffect } from "react";

export interface Polling {
  /** Reads at once, or once more after the reading that is under way. */
  wake(): void;
  /** Aborts what is under way; nothing is read after it. */
  stop(): void;
}

/**
 * Reads again and again while the page is visible: at once, `delayMs()` milliseconds after each reading ended, and when the page is
 * shown again. One reading at a time. `read` shows its failures itself: it never rejects.
 */
export function startPolling(read: (signal: AbortSignal) => Promise<void>, delayMs: () => number): Polling {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isWoken = false;
  const turn = async () => {
    clearTimeout(timer);
    if (document.visibilityState !== "visible" || isReading || controller.signal.aborted) {
      return;
    }
    isReading = true;
    isWoken = false;
    await read(controller.signal);
    isReading = false;
    if (!controller.signal.aborted) {
      timer = setTimeout(() => void turn(), isWoken ? 0 : delayMs());
    }
  };
  const onVisibility = () => void turn();
  document.addEventListener("visibilitychange", onVisibility);
  void turn();
  return {
    wake() {
      isWoken = true;
      void turn();
    },
    stop() {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}

/** `startPolling` while the component is mounted and `read` is the same; another one starts anew. */
export function usePolling(read: (signal: AbortSignal) => Promise<void>, intervalMs: number): void {
  useEffect(() => startPolling(read, () => intervalMs).stop, [read, intervalMs]);
}
