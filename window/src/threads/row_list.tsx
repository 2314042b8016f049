import { useState } from "react";

import type { TimelineRow } from "#sdk/records.js";

import { Button } from "@/ui/button";
import { useThreadView } from "./thread_view";

/** Rows that are drawn at first, and each time that somebody asks for those before: a turn may have ten thousand. */
const kDrawn = 200;

export interface RowListProps {
  rows: readonly TimelineRow[];
  /** Loads rows before these; absent where there are none. */
  loadEarlier?: (() => void) | undefined;
  isLoading?: boolean;
}

/** Rows within a row, from their end: what a turn folds, what another agent did. */
export function RowList({ rows, loadEarlier, isLoading = false }: RowListProps) {
  const { renderRow } = useThreadView();
  const [drawn, setDrawn] = useState(kDrawn);
  const isCut = rows.length > drawn;
  const showEarlier = () => {
    setDrawn(drawn + kDrawn);
    if (!isCut) {
      loadEarlier?.();
    }
  };
  return (
    <>
      {(isCut || loadEarlier !== undefined) && (
        <Button size="sm" className="mb-1" isBusy={isLoading} onClick={showEarlier}>
          Show earlier steps
        </Button>
      )}
      {rows.length > 0 && (
        <ul className="flex flex-col gap-1 border-l border-border-hairline pl-2">
          {rows.slice(-drawn).map((row) => (
            <li key={row.id}>{renderRow({ row, text: null, isStreaming: false })}</li>
          ))}
        </ul>
      )}
    </>
  );
}
