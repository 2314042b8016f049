import RotateCcw from "lucide-react/icons/rotate-ccw";
import { type ReactNode, useSyncExternalStore } from "react";

import type { TimelineRow } from "#sdk/records.js";

import { useTurnEnd } from "@/api/threads";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";
import { useThreadView } from "./thread_view";
import { failureText, type FailureText } from "./turn_failure_text";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

interface Failure {
  /** Null while it is not known, and when there is none. */
  readonly said: FailureText | null;
  /** Why the service could not say; null unless it failed. */
  readonly error: Error | null;
  readonly isLoading: boolean;
  /** Whether it stands in the conversation already. */
  readonly isShown: boolean;
  /** Whether no other message to the agent came after it. */
  readonly isLast: boolean;
  retry?: (() => void) | undefined;
  ask(this: void): void;
}

/** Why a turn did not end well. A row of the service that says so already is not said twice. */
function useFailure(row: TurnRow): Failure {
  const { store, onRetry } = useThreadView();
  useSyncExternalStore(store.subscribe, store.snapshot);
  const hasBegun = row.turnId !== null;
  const isLast = store.nextRequest(row.id) === null;
  const isTold = store.restOfSegment(row.id).some((other) => other.kind === "system" && other.systemKind === "error");
  const isWanted = !isTold && (!hasBegun || row.status === "error" || row.status === "interrupted");
  const { data, error, isLoading, refetch } = useTurnEnd(row, { enabled: isWanted });
  const said = !isWanted || data === undefined || data === null ? null : failureText(data, { hasBegun });
  return {
    said,
    error: isWanted ? error : null,
    isLoading,
    isShown: said !== null,
    isLast,
    retry: isLast ? onRetry : undefined,
    ask: () => void refetch(),
  };
}

/** Below the last row of a turn: why it did not end well. */
export function FailureBelow({ id }: { id: string }) {
  const { store } = useThreadView();
  const turn = useSyncExternalStore(store.subscribe, () => store.turnEndedBy(id));
  return turn === null ? null : <TurnFailure row={turn} />;
}

/** In the conversation, at once: why it ended, what to do, and a way to try it again where that is the last turn. */
function TurnFailure({ row }: { row: TurnRow }) {
  const { said, error, isLoading, isLast, retry, ask } = useFailure(row);
  if (error !== null) {
    return <ErrorNotice title="The service does not say why this ended" error={error} onRetry={ask} />;
  }
  if (said === null) {
    return isLoading ? <Loading label="Asking why this ended…" /> : null;
  }
  return (
    <Banner tone="error" title={said.title} actions={<RetryButton retry={retry} />}>
      <p className="whitespace-pre-wrap">{said.text}</p>
      {/* Of an older turn the thread has gone on: nothing is to be done about it any more. */}
      {isLast && <p className="mt-1">{said.next}</p>}
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
  const { isShown, isLoading } = useFailure(row);
  return isShown || isLoading ? null : children;
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
