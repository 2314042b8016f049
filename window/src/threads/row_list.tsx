import type { TimelineRow } from "#sdk/records.js";

import { useThreadView } from "./thread_view";

/** Rows within a row: what a turn folds, what another agent did. */
export function RowList({ rows }: { rows: readonly TimelineRow[] }) {
  const { renderRow } = useThreadView();
  return rows.length === 0 ? null : (
    <ul className="flex flex-col gap-1 border-l border-border-hairline pl-2">
      {rows.map((row) => (
        <li key={row.id}>{renderRow({ row, text: null, isStreaming: false })}</li>
      ))}
    </ul>
  );
}
