import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type UIEvent,
  type WheelEvent,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";

import { cn } from "./cn";

/** Rows that are drawn outside of the view on either side, so that Tab finds what it can go to. */
const kExtraRows = 12;
/** This close to the end counts as the end, in pixels. */
const kEndSlack = 8;
/** Frames without a change that are rest, and how many are looked at. */
const kRestFrames = 6;
const kRestLooks = 120;
/** No distance from the end is as small: a list that does not follow stays where it is, at its end too. */
const kNever = -1;
/** Keys that scroll up. */
const kUpKeys: ReadonlySet<string> = new Set(["ArrowUp", "PageUp", "Home"]);

/** What can be asked of a list from outside. */
export interface VirtualListHandle {
  /** Draws the row of an item, wherever it is, and brings it into view; null for one that is not there. */
  draw(this: void, key: string): HTMLElement | null;
  /** The keys around what is in view; null where the list ends. */
  inView(this: void): { before: string | null; after: string | null };
}

export interface VirtualListProps<Item> {
  /** What the list is, to somebody who does not see it. */
  label: string;
  items: readonly Item[];
  /** Stays with an item wherever it moves to. */
  keyOf(item: Item): string;
  /** About how high a row is before it was drawn, in pixels. */
  estimatedHeight: number;
  /** What is in the row. Heights are measured, also when they change later. */
  children(item: Item): ReactNode;
  /** Whether the list stays at its end while items are added there. */
  isFollowing?: boolean;
  /** Scrolling up ends following, scrolling to the end begins it. */
  onFollowing?(isFollowing: boolean): void;
  className?: string;
  ref?: Ref<VirtualListHandle> | undefined;
}

/** Calls `then` once an element that is scrolled to its end has not been scrolled for some frames. Returns what ends waiting. */
function onRestAtEnd(element: HTMLElement | null, then: (top: number) => void): () => void {
  let top = Number.NaN;
  let same = 0;
  let left = kRestLooks;
  const look = () => {
    left -= 1;
    if (element === null || left < 0 || element.scrollHeight - element.scrollTop - element.clientHeight > kEndSlack) {
      return;
    }
    same = element.scrollTop === top ? same + 1 : 0;
    top = element.scrollTop;
    if (same < kRestFrames) {
      frame = requestAnimationFrame(look);
    } else {
      then(top);
    }
  };
  let frame = requestAnimationFrame(look);
  return () => cancelAnimationFrame(frame);
}

/**
 * The rows in view of a list that may have 10,000, in a region that scrolls. Items may be added and removed at both ends: what is being
 * read stays in its place. The row that has the focus stays while it is scrolled out of view.
 */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  estimatedHeight,
  children,
  isFollowing = false,
  onFollowing,
  className,
  ref,
}: VirtualListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const [focused, setFocused] = useState<string | null>(null);
  const getItemKey = useCallback(
    (index: number) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    [items, keyOf],
  );
  const rangeExtractor = useCallback(
    (range: Range) => {
      const drawn = defaultRangeExtractor(range);
      const kept = focused === null ? -1 : items.findIndex((item) => keyOf(item) === focused);
      return kept < 0 || drawn.includes(kept) ? drawn : [...drawn, kept].sort((a, b) => a - b);
    },
    [focused, items, keyOf],
  );
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedHeight,
    getItemKey,
    rangeExtractor,
    overscan: kExtraRows,
    // What is read is kept in place by its key, whatever is added or removed before it.
    anchorTo: "end",
    scrollEndThreshold: isFollowing ? kEndSlack : kNever,
  });

  useLayoutEffect(() => {
    if (isFollowing) {
      virtualizer.scrollToEnd();
    }
  }, [virtualizer, items, isFollowing]);
  // Of rows that have become smaller the virtualizer keeps a correction for which there is no room at the end, and would make it, too
  // large, when rows come in: what is read would move. A command that changes nothing takes its place.
  const height = virtualizer.getTotalSize();
  useEffect(
    () => (isFollowing ? undefined : onRestAtEnd(scroller.current, (top) => virtualizer.scrollToOffset(top))),
    [virtualizer, height, isFollowing],
  );
  // A view that shrinks hides the end.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!isFollowing || element === null) {
      return;
    }
    const observer = new ResizeObserver(() => virtualizer.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [virtualizer, isFollowing]);

  useImperativeHandle(
    ref,
    () => ({
      draw: (key) => {
        const index = items.findIndex((item) => keyOf(item) === key);
        if (index < 0) {
          return null;
        }
        // What has the focus is drawn.
        flushSync(() => setFocused(key));
        virtualizer.scrollToIndex(index, { align: "auto" });
        return scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;
      },
      inView: () => {
        const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: -1 };
        const at = (index: number) => (items[index] === undefined ? null : keyOf(items[index]));
        return { before: at(startIndex - 1), after: at(endIndex + 1) };
      },
    }),
    [items, keyOf, virtualizer],
  );

  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLDivElement>) => {
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= kEndSlack;
    // The first steps of a way up are still at the end.
    if (isAtEnd && (isFollowing || scrollTop >= lastTop.current)) {
      onFollowing?.(true);
    } else if (scrollTop < lastTop.current) {
      onFollowing?.(false);
    }
    lastTop.current = scrollTop;
  };
  // Told before the browser scrolls: what comes in at that moment would take the view back to the end.
  const onUp = ({ currentTarget: { scrollHeight, clientHeight } }: { currentTarget: HTMLDivElement }) => {
    if (isFollowing && scrollHeight > clientHeight) {
      virtualizer.cancelScroll();
      flushSync(() => onFollowing?.(false));
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target === event.currentTarget && kUpKeys.has(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey) {
      onUp(event);
    }
  };
  const onWheel = (event: WheelEvent<HTMLDivElement>) => {
    if (event.deltaY < 0 && !event.ctrlKey) {
      onUp(event);
    }
  };
  const onFocus = ({ target }: FocusEvent) => setFocused(target.closest<HTMLElement>("[data-key]")?.dataset.key ?? null);

  return (
    <div
      ref={scroller}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onWheel={onWheel}
      tabIndex={0}
      role="region"
      aria-label={label}
      className={cn("min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain [overflow-anchor:none]", className)}
    >
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }} onFocus={onFocus} onBlur={() => setFocused(null)}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={String(key)}
                ref={virtualizer.measureElement}
                data-index={index}
                data-key={key}
                aria-posinset={index + 1}
                aria-setsize={items.length}
                className="absolute inset-x-0"
                style={{ top: start }}
              >
                {children(item)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
