import { useRef } from "react";

import type { TimelineRow } from "#sdk/records.js";

import { useTurnRows } from "@/api/threads";
import { counted, formatDuration } from "@/lib/format";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";
import { RowFrame } from "./row_frame";
import { RowList } from "./row_list";
import { useSoughtStep } from "./sought_message";
import { stepCountOf } from "./turn_steps";
import { useThreadView } from "./thread_view";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

/** Says how a turn has ended. */
const isEnd = (row: TimelineRow): boolean =>
  row.kind === "system" && (row.systemKind === "error" || row.operationKind === "thread-interrupted");

/** Without the rows after its last text that say why it did not end well: the conversation does, below what came before. */
function stepsOf({ status }: TurnRow, rows: readonly TimelineRow[], textSeq: number): readonly TimelineRow[] {
  return status === "error" || status === "interrupted"
    ? rows.slice(0, rows.findLastIndex((row) => !isEnd(row) || row.sourceSeqStart < textSeq) + 1)
    : rows;
}

function FoldedRows({ row }: { row: TurnRow }) {
  const { store } = useThreadView();
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = useTurnRows(row, store.nextRequest(row.id));
  const rows = row.children ?? data;
  const place = useRef<HTMLDivElement>(null);
  useSoughtStep(rows, place);
  if (rows !== undefined) {
    return (
      <div ref={place}>
        <RowList
          rows={stepsOf(row, rows, store.restOfSegment(row.id)[0]?.sourceSeqStart ?? 0)}
          loadEarlier={hasNextPage ? () => void fetchNextPage() : undefined}
          isLoading={isFetchingNextPage}
        />
      </div>
    );
  }
  return error === null ? (
    <Loading label="Loading what was done…" />
  ) : (
    <ErrorNotice title="What was done could not be loaded" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
  );
}

/** What lies between the messages of a turn that has ended. */
export function TurnRowView({ row }: { row: TurnRow }) {
  const steps = stepCountOf(row);
  if (steps === 0) {
    return null;
  }
  const took = row.completedAt === null ? null : formatDuration(Math.max(0, row.completedAt - row.startedAt));
  return (
    <RowFrame id={row.id} icon="list-tree" title={counted(steps, "step")} detail={took} status={row.status}>
      {() => <FoldedRows row={row} />}
    </RowFrame>
  );
}
