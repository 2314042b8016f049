import { useCallback, useMemo, useState } from "react";

import { api } from "@/api/http";
import { usePolling } from "@/lib/polling";

import { addReply, kEmptyLog, kLogFollow, kLogLines, type LogBuffer, type LogReply, type LogSource } from "./log_model";

export interface Log {
  readonly buffer: LogBuffer;
  /** Why the last request failed; null when it did not. The next one follows by itself. */
  readonly failure: unknown;
  /** Whether there may be lines before the first one. */
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  loadOlder(): void;
}

/** The newest lines of a log, and every line since while the page is visible. `source` is the same object for the same log. */
export function useLog(source: LogSource): Log {
  const [buffer, setBuffer] = useState<LogBuffer>(kEmptyLog);
  const [failure, setFailure] = useState<unknown>(null);
  const [tail, setTail] = useState(source.firstLines);
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const read = useMemo(() => {
    // Another `tail` reads anew; what is shown stays until that answer is there.
    let cursor: number | string | null = null;
    return async (signal: AbortSignal) => {
      const after = cursor;
      try {
        const reply = await api<LogReply<number | string>>("GET", source.path, {
          query: after === null ? { tail } : { tail: kLogLines, after },
          signal,
        });
        cursor = reply.cursor;
        setBuffer((now) => addReply(after === null ? kEmptyLog : now, reply, source.parse));
        setFailure(null);
      } catch (error) {
        if (!signal.aborted) {
          setFailure(error);
        }
      }
      if (!signal.aborted) {
        setLoadingOlder(false);
      }
    };
  }, [source, tail]);
  usePolling(read, kLogFollow);

  const loadOlder = useCallback(() => {
    setLoadingOlder(true);
    setTail(kLogLines);
  }, []);
  const hasOlder = tail < kLogLines && buffer.entries.length >= tail;
  return { buffer, failure, hasOlder, isLoadingOlder, loadOlder };
}
