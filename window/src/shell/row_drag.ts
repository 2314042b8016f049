import { type PointerEvent, useRef, useState } from "react";

// Pixels before a press becomes a drag: a click must stay a click.
const kThreshold = 6;

export interface RowDrag {
  /** The row that is dragged, and how far. */
  readonly key: string;
  readonly offset: number;
  /** Where it would land. */
  readonly index: number;
}

/** Where a row lands when its middle is at `middle`, among rows with these middles, itself left out. */
export function landingIndex(middle: number, others: readonly number[]): number {
  return others.filter((other) => other < middle).length;
}

/** Reordering of a list of rows with mouse or pen. Touch scrolls; there, as on the keyboard, the row's menu moves it. */
export function useRowDrag(keys: readonly string[], onMove: (key: string, index: number) => void) {
  const [drag, setDrag] = useState<RowDrag | null>(null);
  const start = useRef<{ key: string; y: number; middles: Map<string, number> } | null>(null);
  const hasDragged = useRef(false);

  const middlesOf = (list: Element) =>
    new Map(
      [...list.querySelectorAll<HTMLElement>("[data-row-key]")].map((row) => {
        const { top, height } = row.getBoundingClientRect();
        return [row.dataset.rowKey!, top + height / 2];
      }),
    );

  const end = () => {
    start.current = null;
    setDrag(null);
  };

  return {
    drag,
    /** Of each row. */
    rowProps: (key: string) => ({
      "data-row-key": key,
      onPointerDown(event: PointerEvent<HTMLElement>) {
        hasDragged.current = false;
        const list = event.currentTarget.parentElement;
        if (event.button === 0 && event.pointerType !== "touch" && list !== null) {
          start.current = { key, y: event.clientY, middles: middlesOf(list) };
        }
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        const from = start.current;
        if (from === null || from.key !== key) {
          return;
        }
        const offset = event.clientY - from.y;
        if (drag === null && Math.abs(offset) < kThreshold) {
          return;
        }
        hasDragged.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        const others = keys.filter((other) => other !== key).map((other) => from.middles.get(other) ?? 0);
        setDrag({ key, offset, index: landingIndex((from.middles.get(key) ?? 0) + offset, others) });
      },
      onPointerUp() {
        if (drag !== null && drag.key === key) {
          onMove(key, drag.index);
        }
        end();
      },
      onPointerCancel: end,
      onClickCapture(event: { preventDefault(): void; stopPropagation(): void }) {
        if (hasDragged.current) {
          hasDragged.current = false;
          event.preventDefault();
          event.stopPropagation();
        }
      },
      onDragStart: (event: { preventDefault(): void }) => event.preventDefault(),
    }),
  };
}
