import { useCallback, useEffect, useRef, useState } from "react";

import { api } from "@/api/http";

import { addReply, kEmptyLog, kLogFollow, kLogLines, type LogBuffer, type LogReply } from "./log_model";

/** How many lines are read first; older ones on request, up to `L:log-tail`. */
export const kFirstLines = 1000;

export interface Log {
  readonly buffer: LogBuffer;
  /** Why the last request failed; null when it did not. The next one follows by itself. */
  readonly failure: unknown;
  /** Whether there may be lines before the first one. */
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  loadOlder(): void;
}

/** The log of one plugin: its newest lines, and every line since while the page is visible. */
export function useLog(pluginId: string): Log {
  const [buffer, setBuffer] = useState<LogBuffer>(kEmptyLog);
  const [failure, setFailure] = useState<unknown>(null);
  const [tail, setTail] = useState(kFirstLines);
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const cursor = useRef<number | null>(null);

  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    // Another `tail` reads anew; what is shown stays until that answer is there.
    cursor.current = null;
    const read = async () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible" || isReading) {
        return;
      }
      isReading = true;
      const after = cursor.current;
      try {
        const reply = await api<LogReply>("GET", `/plugins/${encodeURIComponent(pluginId)}/logs`, {
          query: after === null ? { tail } : { tail: kLogLines, after },
          signal: controller.signal,
        });
        cursor.current = reply.cursor;
        setBuffer((now) => addReply(after === null ? kEmptyLog : now, reply));
        setFailure(null);
      } catch (error) {
        if (controller.signal.aborted) {
          return;
        }
        setFailure(error);
      } finally {
        isReading = false;
        if (!controller.signal.aborted) {
          setLoadingOlder(false);
          timer = setTimeout(() => void read(), kLogFollow);
        }
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
  }, [pluginId, tail]);

  const loadOlder = useCallback(() => {
    setLoadingOlder(true);
    setTail(kLogLines);
  }, []);
  const hasOlder = tail < kLogLines && buffer.entries.length >= tail;
  return { buffer, failure, hasOlder, isLoadingOlder, loadOlder };
}
