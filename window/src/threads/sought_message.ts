import { useEffect, useState, type RefObject } from "react";
import { flushSync } from "react-dom";

import type { TimelineRow } from "#sdk/records.js";

import { useStore } from "@/lib/store";
import { focusByKey } from "./conversation_keys";
import { useThreadView } from "./thread_view";

/** What marks a message. Somebody who has begun to write goes on, though. */
function mark(element: HTMLElement | null | undefined): void {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLTextAreaElement && activeElement.value !== "")) {
    focusByKey(element);
  }
}

/** Shows the message of an event, also one far from the end; whether it is still looked for. `onFound` is told before the list scrolls. */
export function useSoughtMessage(at: number | undefined, onFound: () => void): boolean {
  const { store, list, unfolded, sought } = useThreadView();
  const [isLooking, setLooking] = useState(false);
  useEffect(() => {
    if (at === undefined) {
      return;
    }
    const given = new AbortController();
    const look = async () => {
      const row = await store.find(at, given.signal, () => setLooking(true));
      if (given.signal.aborted) {
        return;
      }
      // The rows that were fetched are drawn by then, and the list does not go back to its end.
      flushSync(() => {
        setLooking(false);
        if (row !== null) {
          onFound();
        }
      });
      if (row?.kind === "turn") {
        sought.set(at);
        unfolded.update((all) => new Map(all).set(row.id, true));
      }
      if (row !== null) {
        mark(list.current?.draw(row.id)?.querySelector<HTMLElement>("[data-message-role]"));
      }
    };
    void look();
    return () => {
      given.abort();
      setLooking(false);
      sought.set(null);
    };
  }, [at, store, list, unfolded, sought, onFound]);
  return isLooking;
}

/** The same for a message that a turn folds, once the rows of the turn are drawn in `place`. */
export function useSoughtStep(rows: readonly TimelineRow[] | undefined, place: RefObject<HTMLElement | null>): void {
  const { sought } = useThreadView();
  const seq = useStore(sought, (at) => at);
  useEffect(() => {
    const row = rows?.find(
      ({ kind, sourceSeqStart, sourceSeqEnd }) => kind === "conversation" && (sourceSeqStart === seq || sourceSeqEnd === seq),
    );
    const element = row && place.current?.querySelector<HTMLElement>(`[data-svc-conversation-message-id="${CSS.escape(row.id)}"]`);
    if (!element) {
      return;
    }
    sought.set(null);
    mark(element);
    // Called after the list has measured the row that has opened, which may scroll it.
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      element.scrollIntoView({ block: "center" });
    });
    observer.observe(element);
  }, [rows, place, seq, sought]);
}
