import { useEffect } from "react";

/**
 * Reads again and again while the page is visible: at once, `intervalMs` milliseconds after each reading ended, and when the page is
 * shown again. One reading at a time; `signal` aborts when the component goes or `read` is another one, which starts anew. `read` shows
 * its failures itself: it never rejects.
 */
export function usePolling(read: (signal: AbortSignal) => Promise<void>, intervalMs: number): void {
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    const turn = async () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible" || isReading) {
        return;
      }
      isReading = true;
      await read(controller.signal);
      isReading = false;
      if (!controller.signal.aborted) {
        timer = setTimeout(() => void turn(), intervalMs);
      }
    };
    const onVisibility = () => void turn();
    document.addEventListener("visibilitychange", onVisibility);
    void turn();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [read, intervalMs]);
}
