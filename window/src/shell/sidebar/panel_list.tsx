import ChevronRight from "lucide-react/icons/chevron-right";
import { useState } from "react";

import { cn } from "@/ui/cn";

import { type PanelRow, usePanelRows } from "@/shell/panel_rows";
import { useRowDrag } from "@/shell/row_drag";
import { PanelRowItem } from "./panel_row";
import { kRowClass } from "./row_class";

/** The plugins' rows: in the user's order, hidden ones under `More`. */
export function PanelList() {
  const { shown, hidden, move, hide, show } = usePanelRows();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [moved, setMoved] = useState("");
  const keys = shown.map(({ key }) => key);

  const moveTo = (key: string, index: number) => {
    move(key, index);
    const title = shown.find((row) => row.key === key)?.title ?? key;
    setMoved(`${title} moved to place ${index + 1} of ${shown.length}`);
  };
  const { drag, rowProps } = useRowDrag(keys, moveTo);

  const actionsOf = (row: PanelRow, index: number) => ({
    canMoveUp: index > 0,
    canMoveDown: index < shown.length - 1,
    isHidden: false,
    moveUp: () => index > 0 && moveTo(row.key, index - 1),
    moveDown: () => index < shown.length - 1 && moveTo(row.key, index + 1),
    toggleHidden: () => hide(row.key),
  });
  if (shown.length === 0 && hidden.length === 0) {
    return null;
  }
  return (
    <div className="flex flex-col">
      <p role="status" aria-live="polite" className="sr-only">
        {moved}
      </p>
      <ul data-sidebar="menu" aria-label="Plugin pages" className="flex flex-col gap-px">
        {shown.map((row, index) => {
          const isDragged = drag?.key === row.key;
          const isTarget = drag !== null && !isDragged && drag.index === keys.filter((key) => key !== drag.key).indexOf(row.key);
          return (
            <li
              key={row.key}
              data-sidebar="menu-item"
              {...rowProps(row.key)}
              className={cn(
                "relative touch-pan-y rounded-md",
                isDragged && "z-10 bg-surface-raised-solid shadow-lift",
                isTarget && "before:absolute before:inset-x-1 before:-top-px before:h-0.5 before:rounded-full before:bg-primary",
              )}
              {...(isDragged ? { style: { translate: `0 ${drag.offset}px` } } : {})}
            >
              <PanelRowItem row={row} actions={actionsOf(row, index)} />
            </li>
          );
        })}
      </ul>
      {hidden.length > 0 && (
        <>
          <button type="button" className={kRowClass} aria-expanded={isMoreOpen} onClick={() => setMoreOpen((open) => !open)}>
            <ChevronRight aria-hidden className={cn("transition-transform", isMoreOpen && "rotate-90")} />
            <span className="text-muted-foreground">More ({hidden.length})</span>
          </button>
          {isMoreOpen && (
            <ul aria-label="Hidden plugin pages" className="flex flex-col gap-px pl-3">
              {hidden.map((row) => (
                <li key={row.key} data-sidebar="menu-item">
                  <PanelRowItem
                    row={row}
                    actions={{
                      canMoveUp: false,
                      canMoveDown: false,
                      isHidden: true,
                      moveUp: () => undefined,
                      moveDown: () => undefined,
                      toggleHidden: () => show(row.key),
                    }}
                  />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
