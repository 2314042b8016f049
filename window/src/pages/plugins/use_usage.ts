import { useCallback, useState } from "react";

import { usePolling } from "@/lib/polling";

import { failureText } from "./actions";
import { fetchUsage } from "./data";
import { addUsage, kNoUsage, kUsageInterval, type UsageHistory } from "./usage_samples";

/** Samples of one plugin while the page is visible; why the last reading failed, or null. */
export function useUsage(pluginId: string): { history: UsageHistory; failure: string | null } {
  const [history, setHistory] = useState<UsageHistory>(kNoUsage);
  const [failure, setFailure] = useState<string | null>(null);
  const read = useCallback(
    async (signal: AbortSignal) => {
      try {
        const usage = (await fetchUsage(signal)).find(({ id }) => id === pluginId);
        if (usage !== undefined) {
          setHistory((now) => addUsage(now, usage, Date.now()));
        }
        setFailure(null);
      } catch (error) {
        if (!signal.aborted) {
          setFailure(failureText(error));
        }
      }
    },
    [pluginId],
  );
  usePolling(read, kUsageInterval);
  return { history, failure };
}
