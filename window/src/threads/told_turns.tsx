import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import type { Thread, TimelineRow } from "#sdk/records.js";

import { isRunning } from "./thread_state";
import { useThreadView } from "./thread_view";
import type { TimelineStore } from "./timeline_store";
import { useEnd } from "./turn_failure";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

/** Milliseconds without a change before an end is told: the record of the thread and its rows come one after the other. */
const kPause = 400;
/** Characters of an answer that are told; the rest is read where it stands. */
const kBeginning = 160;
/** Characters of an answer that are looked at for that. */
const kLookedAt = 2_000;

/** The first words of a text, without the marks of Markdown that are read out as their names. */
export function beginningOf(text: string): string {
  const plain = text
    .slice(0, kLookedAt)
    .replaceAll(/[*`]+|^#+ /gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (plain.length <= kBeginning && text.length <= kLookedAt) {
    return plain;
  }
  const cut = plain.slice(0, kBeginning);
  const word = cut.lastIndexOf(" ");
  return `${cut.slice(0, word > kBeginning / 2 ? word : kBeginning)}…`;
}

/** The row that says what came of the last request: its turn when that did not end well, else the answer; null while there is neither. */
function endOf(store: TimelineStore): string | null {
  const turn = store.lastTurn();
  if (turn !== null && turn.status !== "completed") {
    return turn.id;
  }
  const { order } = store.snapshot();
  const answer = order.findLast((id) => {
    const row = store.row(id);
    return row?.kind === "conversation" && row.role === "assistant";
  });
  const isOfLast = answer !== undefined && store.nextRequest(answer) === null && !store.isStreaming(answer);
  return isOfLast ? answer : (turn?.id ?? null);
}

/** How a turn ended, for those who do not see it: once, when it is over; what streams is not read out piece by piece. */
export function ToldTurns({ thread }: { thread: Thread }) {
  const { store } = useThreadView();
  const runs = isRunning(thread);
  const isReady = useSyncExternalStore(store.subscribe, () => store.snapshot().status !== "loading");
  const end = useSyncExternalStore(store.subscribe, () => endOf(store));
  const [told, setTold] = useState<string | null>(null);
  /** What needs no telling: undefined until the rows are there. */
  const known = useRef<string | null>(undefined);
  useEffect(() => {
    if (!isReady) {
      return;
    }
    if (runs) {
      known.current = null;
    } else if (known.current === undefined) {
      known.current = end;
    }
    if (runs || end === null || end === known.current) {
      return;
    }
    const timer = setTimeout(() => {
      known.current = end;
      setTold(end);
    }, kPause);
    return () => clearTimeout(timer);
  }, [isReady, runs, end]);
  const row = told === null || runs ? undefined : store.row(told);
  const hasFailed = row?.kind === "turn" && row.status !== "completed";
  return (
    <>
      <div role="status" className="sr-only">
        {row !== undefined && !hasFailed && (
          <p key={row.id}>{row.kind === "conversation" ? `The agent answered: ${beginningOf(row.text)}` : "The agent is done."}</p>
        )}
      </div>
      <div role="alert" className="sr-only">
        {hasFailed && <FailedTurn key={row.id} row={row} />}
      </div>
    </>
  );
}

function FailedTurn({ row }: { row: TurnRow }) {
  const { store } = useThreadView();
  const { shown, isLoading } = useEnd(row);
  const failure = store.restOfSegment(row.id).find((other) => other.kind === "system" && other.systemKind === "error");
  if (isLoading) {
    return null;
  }
  if (shown?.kind === "stopped") {
    return <p>The agent was stopped.</p>;
  }
  const reasons = failure?.kind === "system" ? [failure.title, failure.detail] : shown === null ? [] : [shown.said.title, shown.said.text];
  const said = reasons.filter(Boolean).join(". ");
  return <p>{said === "" ? "The turn failed." : `The turn failed: ${said}`}</p>;
}
