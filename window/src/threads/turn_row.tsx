import { useQuery } from "@tanstack/react-query";

import type { TimelineRow } from "#sdk/records.js";

import { api } from "@/api/http";
import { counted, formatDuration } from "@/lib/format";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";
import { RowFrame } from "./row_frame";
import { RowList } from "./row_list";
import { useThreadView } from "./thread_view";

type TurnRow = Extract<TimelineRow, { kind: "turn" }>;

function FoldedRows({ row: { turnId, sourceSeqStart, sourceSeqEnd, children } }: { row: TurnRow }) {
  const { threadId } = useThreadView();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["thread-turn", threadId, turnId, sourceSeqStart, sourceSeqEnd],
    queryFn: async ({ signal }) =>
      (
        await api<{ rows: TimelineRow[] }>(
          "GET",
          `/threads/${encodeURIComponent(threadId)}/timeline/turns/${encodeURIComponent(turnId!)}`,
          {
            query: { sourceSeqStart, sourceSeqEnd },
            signal,
          },
        )
      ).rows,
    enabled: children === null && turnId !== null,
    // A turn that has ended stays what it is.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const rows = children ?? data;
  if (rows !== undefined) {
    return <RowList rows={rows} />;
  }
  return error === null ? (
    <Loading label="Loading what was done…" />
  ) : (
    <ErrorNotice title="What was done could not be loaded" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
  );
}

/** What lies between the messages of a turn that has ended. */
export function TurnRowView({ row }: { row: TurnRow }) {
  const took = row.completedAt === null ? null : formatDuration(Math.max(0, row.completedAt - row.startedAt));
  return (
    <RowFrame id={row.id} icon="list-tree" title={counted(row.summaryCount, "step")} detail={took} status={row.status}>
      {() => <FoldedRows row={row} />}
    </RowFrame>
  );
}
