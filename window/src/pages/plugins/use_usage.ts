import { useEffect, useState } from "react";

import { failureText } from "./actions";
import { fetchUsage } from "./data";
import { addUsage, kNoUsage, kUsageInterval, type UsageHistory } from "./usage_samples";

/** Samples of one plugin while the page is visible; why the last reading failed, or null. */
export function useUsage(pluginId: string): { history: UsageHistory; failure: string | null } {
  const [history, setHistory] = useState<UsageHistory>(kNoUsage);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    const read = async () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible" || isReading) {
        return;
      }
      isReading = true;
      try {
        const usage = (await fetchUsage(controller.signal)).find(({ id }) => id === pluginId);
        if (usage !== undefined) {
          setHistory((now) => addUsage(now, usage, Date.now()));
        }
        setFailure(null);
      } catch (error) {
        if (controller.signal.aborted) {
          return;
        }
        setFailure(failureText(error));
      } finally {
        isReading = false;
      }
      if (!controller.signal.aborted) {
        timer = setTimeout(() => void read(), kUsageInterval);
      }
    };
    const onVisibility = () => void read();
    document.addEventListener("visibilitychange", onVisibility);
    void read();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [pluginId]);
  return { history, failure };
}
