import RotateCcw from "lucide-react/icons/rotate-ccw";
import { type ReactNode, useSyncExternalStore } from "react";

import type { TimelineRow } from "#sdk/records.js";

import { useTurnEnd } from "@/api/threads";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";
import { RowFrame } from "./row_frame";
import { useThreadView } from "./thread_view";
import { stepCountOf } from "./turn_steps";
import { type ShownEnd, shownEnd } from "./turn_failure_text";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

interface End {
  /** Null while it is not known, and when nothing is to be said of it. */
  readonly shown: ShownEnd | null;
  /** Why the service could not say; null unless it failed. */
  readonly error: Error | null;
  readonly isLoading: boolean;
  /** Whether no other message to the agent came after it. */
  readonly isLast: boolean;
  retry?: (() => void) | undefined;
  ask(this: void): void;
}

/** How a turn ended that did not end well. A row of the service that says so already is not said twice. */
export function useEnd(row: TurnRow): End {
  const { store, onRetry } = useThreadView();
  useSyncExternalStore(store.subscribe, store.snapshot);
  const isLast = store.nextRequest(row.id) === null;
  const isTold = store.restOfSegment(row.id).some((other) => other.kind === "system" && other.systemKind === "error");
  const isWanted = !isTold && (row.turnId === null || row.status === "error" || row.status === "interrupted");
  const { data, error, isLoading, refetch } = useTurnEnd(row, { enabled: isWanted });
  return {
    shown: !isWanted || data === undefined ? null : shownEnd(row, data),
    error: isWanted ? error : null,
    isLoading,
    isLast,
    retry: isLast ? onRetry : undefined,
    ask: () => void refetch(),
  };
}

/** Below the last row of a turn that did not end well: how it ended. */
export function EndBelow({ id }: { id: string }) {
  const { store } = useThreadView();
  const turn = useSyncExternalStore(store.subscribe, () => store.turnEndedBy(id));
  return turn === null ? null : <TurnEnd row={turn} />;
}

/** In the conversation, at once: why it ended, what to do, and a way to try it again where that is the last turn. */
function TurnEnd({ row }: { row: TurnRow }) {
  const { shown, error, isLoading, isLast, retry, ask } = useEnd(row);
  if (error !== null) {
    return <ErrorNotice title="The service does not say why this ended" error={error} onRetry={ask} />;
  }
  if (shown === null) {
    return isLoading ? <Loading label="Asking why this ended…" /> : null;
  }
  if (shown.kind === "stopped") {
    // The row of its steps says so already.
    return retry === undefined && stepCountOf(row) > 0 ? null : (
      <RowFrame id={`end:${row.id}`} icon="circle-stop" title="Stopped" status={null} actions={<RetryButton retry={retry} />} />
    );
  }
  const { title, text, next } = shown.said;
  return (
    <Banner tone="error" title={title} actions={<RetryButton retry={retry} />}>
      <p className="whitespace-pre-wrap">{text}</p>
      {/* Of an older turn the thread has gone on: nothing is to be done about it any more. */}
      {isLast && <p className="mt-1">{next}</p>}
    </Banner>
  );
}

/** Shows `children` where no row says why the last turn ended and offers to ask it again; nothing while that is not known. */
export function UnlessInRows({ children }: { children: ReactNode }) {
  const { store } = useThreadView();
  const { status, order } = useSyncExternalStore(store.subscribe, store.snapshot);
  if (status === "loading") {
    return null;
  }
  for (const id of [...order].reverse()) {
    const row = store.row(id);
    if (row === undefined || store.nextRequest(id) !== null) {
      break;
    }
    if (row.kind === "system" && row.systemKind === "error") {
      return null;
    }
    if (row.kind === "turn") {
      return <UnlessSaid row={row}>{children}</UnlessSaid>;
    }
  }
  return children;
}

function UnlessSaid({ row, children }: { row: TurnRow; children: ReactNode }) {
  const { shown, isLoading } = useEnd(row);
  return shown !== null || isLoading ? null : children;
}

/** Asks the last turn again; nothing where there is nothing to ask. */
export function RetryButton({ retry }: { retry: (() => void) | undefined }) {
  return retry === undefined ? null : (
    <Button size="sm" onClick={retry}>
      <RotateCcw aria-hidden />
      Retry
    </Button>
  );
}
