import { useCallback, useState } from "react";

import { useIsCompact } from "@/lib/viewport";
import { VirtualList } from "@/ui/virtual_list";

import { GenerationRow, LineRow } from "./log_line";
import type { LogRow } from "./log_model";

/** Height of a row that is not expanded, in pixels; with a finger it must be possible to hit its button. */
const kRowHeight = 26;
const kCompactRowHeight = 46;

export interface LogListProps {
  rows: readonly LogRow[];
  isFollowing: boolean;
  onFollowing(isFollowing: boolean): void;
}

const keyOf = (row: LogRow) => row.key;

/** The lines, of which some are expanded. */
export function LogList({ rows, isFollowing, onFollowing }: LogListProps) {
  const isCompact = useIsCompact();
  const height = isCompact ? kCompactRowHeight : kRowHeight;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    (key: string) => {
      // Reading a line ends following: otherwise the next line moves it away.
      onFollowing(false);
      setExpanded((now) => {
        const next = new Set(now);
        if (!next.delete(key)) {
          next.add(key);
        }
        return next;
      });
    },
    [onFollowing],
  );
  return (
    <VirtualList
      label="Log lines"
      items={rows}
      keyOf={keyOf}
      estimatedHeight={height}
      isFollowing={isFollowing}
      onFollowing={onFollowing}
      className="border-t border-border-hairline bg-surface-recessed-solid"
    >
      {(row) =>
        row.kind === "generation" ? (
          <GenerationRow generation={row.generation} height={height} />
        ) : (
          <LineRow
            rowKey={row.key}
            entry={row.entry}
            height={height}
            isCompact={isCompact}
            isExpanded={expanded.has(row.key)}
            onToggle={toggle}
          />
        )
      }
    </VirtualList>
  );
}
