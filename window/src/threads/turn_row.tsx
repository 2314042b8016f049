import type { TimelineRow } from "#sdk/records.js";

import { useTurnRows } from "@/api/threads";
import { counted, formatDuration } from "@/lib/format";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";
import { RowFrame } from "./row_frame";
import { RowList } from "./row_list";
import { useThreadView } from "./thread_view";
import { TurnFailure, useFailure } from "./turn_failure";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

function FoldedRows({ row }: { row: TurnRow }) {
  const { store } = useThreadView();
  const { data, error, refetch, isFetching } = useTurnRows(row, store.nextRequest(row.id));
  const rows = row.children ?? data;
  if (rows !== undefined) {
    return <RowList rows={rows} />;
  }
  return error === null ? (
    <Loading label="Loading what was done…" />
  ) : (
    <ErrorNotice title="What was done could not be loaded" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
  );
}

/** What lies between the messages of a turn that has ended; why it ended, when it did not end well, stands open. */
export function TurnRowView({ row }: { row: TurnRow }) {
  const failure = useFailure(row);
  const took = row.completedAt === null ? null : formatDuration(Math.max(0, row.completedAt - row.startedAt));
  // Of a message that was not taken, the only step is that it was not: the failure says it.
  const isAllSaid = (failure.isShown || failure.isLoading) && row.turnId === null && row.summaryCount === 1;
  return (
    <>
      {!isAllSaid && (
        <RowFrame id={row.id} icon="list-tree" title={counted(row.summaryCount, "step")} detail={took} status={row.status}>
          {() => <FoldedRows row={row} />}
        </RowFrame>
      )}
      <TurnFailure {...failure} />
    </>
  );
}
