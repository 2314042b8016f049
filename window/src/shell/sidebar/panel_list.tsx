import ChevronRight from "lucide-react/icons/chevron-right";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

import { navigation, paths } from "@/lib/navigation";
import { cn } from "@/ui/cn";
import { Input } from "@/ui/input";

import { kManyRows, matchingRows, type PanelRow, usePanelRows } from "@/shell/panel_rows";
import { useRowDrag } from "@/shell/row_drag";
import { PanelRowItem } from "./panel_row";
import { kRowClass } from "./row_class";

const kNothing = () => undefined;
const kUnmovable = { canMoveUp: false, canMoveDown: false, moveUp: kNothing, moveDown: kNothing, moveToTop: kNothing };

/**
 * The plugins' rows: in the user's order, hidden ones under `More`. Many of them scroll by themselves, so that threads stay in sight,
 * and can be filtered.
 */
export function PanelList() {
  const { shown, hidden, move, hide, show } = usePanelRows();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const [moved, setMoved] = useState("");
  const [query, setQuery] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const { pathname } = useLocation();
  const isLong = shown.length > kManyRows;
  useEffect(() => {
    list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
  }, [pathname, isLong]);
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
    moveToTop: () => index > 0 && moveTo(row.key, 0),
    toggleHidden: () => hide(row.key),
  });
  const hiddenActions = (row: PanelRow) => ({ ...kUnmovable, isHidden: true, toggleHidden: () => show(row.key) });
  if (shown.length === 0 && hidden.length === 0) {
    return null;
  }
  const filter = isLong && <FilterField rows={[...shown, ...hidden]} query={query} onQuery={setQuery} />;
  if (isLong && query.trim() !== "") {
    const matching = matchingRows([...shown, ...hidden], query);
    return (
      <div className="flex flex-col">
        {filter}
        <p role="status" className={matching.length > 0 ? "sr-only" : "px-2 py-1 text-sm text-muted-foreground"}>
          {matching.length > 0 ? `${matching.length} of ${shown.length + hidden.length}` : `No page matches “${query.trim()}”`}
        </p>
        <ul aria-label="Plugin pages that match" className={kLongList}>
          {matching.map((row) => {
            const index = keys.indexOf(row.key);
            return (
              <li key={row.key} data-sidebar="menu-item">
                <PanelRowItem row={row} actions={index === -1 ? hiddenActions(row) : actionsOf(row, index)} />
              </li>
            );
          })}
        </ul>
      </div>
    );
  }
  return (
    <div className="flex flex-col">
      {filter}
      <p role="status" aria-live="polite" className="sr-only">
        {moved}
      </p>
      <ul ref={list} data-sidebar="menu" aria-label="Plugin pages" className={isLong ? kLongList : "flex flex-col gap-px"}>
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
                  <PanelRowItem row={row} actions={hiddenActions(row)} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}

const kLongList = "flex max-h-[45dvh] flex-col gap-px overflow-y-auto overscroll-contain";

/** Enter opens the first page that matches, an arrow leads into the list, Escape ends the search. */
function FilterField({ rows, query, onQuery }: { rows: readonly PanelRow[]; query: string; onQuery(query: string): void }) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) {
      return;
    }
    const [first] = query.trim() === "" ? [] : matchingRows(rows, query);
    if (event.key === "Enter" && first !== undefined) {
      onQuery("");
      navigation.to(paths.pluginPanel(first.pluginId, first.path));
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      event.currentTarget.parentElement?.querySelector<HTMLElement>("ul a")?.focus();
    } else if (event.key === "Escape" && query !== "") {
      event.preventDefault();
      onQuery("");
    }
  };
  return (
    <Input
      type="search"
      aria-label="Filter the pages of plugins"
      placeholder={`Filter ${rows.length} pages`}
      value={query}
      className="mb-1"
      onChange={(event) => onQuery(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
