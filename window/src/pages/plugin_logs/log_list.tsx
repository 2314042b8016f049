import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";

import { useIsCompact } from "@/lib/viewport";

import type { LogRow } from "./log_model";
import { GenerationRow, LineRow } from "./log_line";
import { RowOffsets } from "./row_window";

/** Height of a row that is not expanded, in pixels; with a finger it must be possible to hit its button. */
const kRowHeight = 26;
const kCompactRowHeight = 46;
/** Rows that are drawn outside of the view on either side. */
const kExtraRows = 12;
/** This close to the end counts as the end, in pixels. */
const kEndSlack = 8;

export interface LogListProps {
  rows: readonly LogRow[];
  isFollowing: boolean;
  onFollowing(isFollowing: boolean): void;
}

/** The rows in view of a list that may have 10,000. New rows move nothing that is being read. */
export function LogList({ rows, isFollowing, onFollowing }: LogListProps) {
  const isCompact = useIsCompact();
  const rowHeight = isCompact ? kCompactRowHeight : kRowHeight;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [heights, setHeights] = useState<ReadonlyMap<string, number>>(new Map());
  /** The first row in view and how far it is scrolled out. */
  const anchor = useRef<{ key: string; offset: number } | null>(null);

  const offsets = useMemo(
    () =>
      new RowOffsets(rows.length, (index) => {
        const key = rows[index]?.key ?? "";
        return expanded.has(key) ? (heights.get(key) ?? rowHeight) : rowHeight;
      }),
    [rows, expanded, heights, rowHeight],
  );

  const measureView = useCallback(() => {
    const element = scroller.current;
    if (element !== null) {
      setView((now) =>
        now.top === element.scrollTop && now.height === element.clientHeight
          ? now
          : { top: element.scrollTop, height: element.clientHeight },
      );
    }
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    if (isFollowing) {
      element.scrollTop = element.scrollHeight;
    } else if (anchor.current !== null) {
      const { key, offset } = anchor.current;
      const index = rows.findIndex((row) => row.key === key);
      const top = offsets.top(index) + offset;
      if (index >= 0 && Math.abs(top - element.scrollTop) >= 1) {
        element.scrollTop = top;
      }
    }
    measureView();
  }, [rows, offsets, isFollowing, measureView]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    const observer = new ResizeObserver(measureView);
    observer.observe(element);
    return () => observer.disconnect();
  }, [measureView]);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    const first = offsets.at(element.scrollTop);
    const row = rows[first];
    anchor.current = row === undefined ? null : { key: row.key, offset: element.scrollTop - offsets.top(first) };
    onFollowing(element.scrollHeight - element.scrollTop - element.clientHeight <= kEndSlack);
    measureView();
  };
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
  const measured = useCallback((key: string, height: number) => {
    setHeights((now) => (now.get(key) === height ? now : new Map(now).set(key, height)));
  }, []);

  const [first, end] = offsets.range(view.top, view.top + view.height, kExtraRows);
  return (
    <div
      ref={scroller}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label="Log lines"
      className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain border-t border-border-hairline bg-surface-recessed-solid [overflow-anchor:none]"
    >
      <div className="relative" style={{ height: offsets.total }}>
        <ul className="absolute inset-x-0" style={{ top: offsets.top(first) }}>
          {rows.slice(first, end).map((row, index) => {
            const place = { "aria-posinset": first + index + 1, "aria-setsize": rows.length };
            return row.kind === "generation" ? (
              <GenerationRow key={row.key} generation={row.generation} height={rowHeight} {...place} />
            ) : (
              <LineRow
                key={row.key}
                rowKey={row.key}
                entry={row.entry}
                height={rowHeight}
                isCompact={isCompact}
                isExpanded={expanded.has(row.key)}
                onToggle={toggle}
                onMeasured={measured}
                {...place}
              />
            );
          })}
        </ul>
      </div>
    </div>
  );
}
