import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

import type { MessageRow } from "./message_actions";
import { useThreadView } from "./thread_view";
import type { TimelineStore } from "./timeline_store";

/** The text of a message on the page, without what stands around it. */
export const kMessageText = "[data-message-text]";

/** What is known of such an element. */
interface Selectable {
  store: TimelineStore;
  row: MessageRow;
  text: { toString(): string };
}

const selectables = new WeakMap<Element, Selectable>();

/** Props of the element that has the text of a message, so that what somebody selects in it is known as a part of that message. */
export function useSelectable(row: MessageRow, text: { toString(): string }) {
  const { store } = useThreadView();
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    selectables.set(ref.current!, { store, row, text });
  }, [store, row, text]);
  return { ref, "data-message-text": "" };
}

/** What somebody has selected within one message. */
export interface MessageSelection {
  readonly element: HTMLElement;
  /** Within the element. */
  readonly range: Range;
}

/** The message of a selection, as it is now. */
export function messageOf({ element }: MessageSelection): { row: MessageRow; text: string } | null {
  const known = selectables.get(element);
  return known === undefined ? null : { row: known.row, text: String(known.text) };
}

function rangeOf(start: [Node, number], end: [Node, number]): Range {
  const range = document.createRange();
  range.setStart(...start);
  range.setEnd(...end);
  return range;
}

const isBlank = (range: Range): boolean => range.toString().trim() === "";

/** The part of a range in an element that it meets, and what of it stands before and after. */
function cut(range: Range, element: Element): { before: Range; within: Range; after: Range } {
  const whole = document.createRange();
  whole.selectNodeContents(element);
  const start: [Node, number] =
    range.compareBoundaryPoints(Range.START_TO_START, whole) < 0
      ? [whole.startContainer, whole.startOffset]
      : [range.startContainer, range.startOffset];
  const end: [Node, number] =
    range.compareBoundaryPoints(Range.END_TO_END, whole) > 0
      ? [whole.endContainer, whole.endOffset]
      : [range.endContainer, range.endOffset];
  return {
    before: rangeOf([range.startContainer, range.startOffset], start),
    within: rangeOf(start, end),
    after: rangeOf(end, [range.endContainer, range.endOffset]),
  };
}

/**
 * What is selected within one message of a thread; null for a selection of several messages, or of anything else. Three clicks on a
 * paragraph select as far as the begin of what follows it: what has no text of its own there does not count.
 */
export function selectedIn(store: TimelineStore, selection = document.getSelection()): MessageSelection | null {
  if (selection === null || selection.isCollapsed || selection.toString().trim() === "") {
    return null;
  }
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: ancestor } = range;
  const around = ancestor instanceof Element ? ancestor : ancestor.parentElement;
  const own = around?.closest<HTMLElement>(kMessageText);
  const candidates = own ? [own] : [...(around?.querySelectorAll<HTMLElement>(kMessageText) ?? [])];
  const element = candidates.find((each) => range.intersectsNode(each) && !isBlank(cut(range, each).within));
  if (element === undefined || selectables.get(element)?.store !== store) {
    return null;
  }
  const { before, within, after } = cut(range, element);
  return isBlank(before) && isBlank(after) ? { element, range: within } : null;
}

/** The part of the page in which an element can be seen: that of everything around it which scrolls or cuts off. */
export function viewOf(element: Element): { top: number; bottom: number; left: number; right: number } {
  const view = { top: 0, left: 0, bottom: window.innerHeight, right: window.innerWidth };
  for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement) {
    if (getComputedStyle(each).overflowY !== "visible") {
      const { top, bottom, left, right } = each.getBoundingClientRect();
      view.top = Math.max(view.top, top);
      view.bottom = Math.min(view.bottom, bottom);
      view.left = Math.max(view.left, left);
      view.right = Math.min(view.right, right);
    }
  }
  return view;
}

function isInView({ element, range }: MessageSelection): boolean {
  const { top, bottom } = range.getBoundingClientRect();
  const view = viewOf(element);
  return bottom >= view.top && top <= view.bottom;
}

const isSame = (a: Range, b: Range): boolean =>
  a.startContainer === b.startContainer &&
  a.startOffset === b.startOffset &&
  a.endContainer === b.endContainer &&
  a.endOffset === b.endOffset;

/**
 * What is selected in a message of the shown thread while it is in view, and what puts it aside until something else is selected. While
 * a mouse still selects, it is nothing yet.
 */
export function useMessageSelection(isOwn: (target: EventTarget | null) => boolean): {
  selected: MessageSelection | null;
  putAside(this: void): void;
} {
  const { store } = useThreadView();
  const [selected, setSelected] = useState<MessageSelection | null>(null);
  const aside = useRef<Range | null>(null);
  const isPressed = useRef(false);
  const isOwnNow = useRef(isOwn);
  isOwnNow.current = isOwn;

  const look = useCallback(() => {
    const found = isPressed.current ? null : selectedIn(store);
    if (found === null || aside.current === null || !isSame(found.range, aside.current)) {
      aside.current = isPressed.current ? aside.current : null;
      setSelected((before) => {
        const isShown = found !== null && isInView(found);
        return !isShown ? null : before !== null && isSame(before.range, found.range) ? before : found;
      });
    }
  }, [store]);

  useEffect(() => {
    const press = (event: PointerEvent) => {
      // Fingers select with the handles of the browser, of which no page hears.
      if (event.pointerType !== "touch" && event.button === 0 && !isOwnNow.current(event.target)) {
        isPressed.current = true;
        look();
      }
    };
    const release = () => {
      if (isPressed.current) {
        isPressed.current = false;
        look();
      }
    };
    const ended = new AbortController();
    const { signal } = ended;
    document.addEventListener("selectionchange", look, { signal });
    document.addEventListener("pointerdown", press, { signal, capture: true });
    window.addEventListener("pointerup", release, { signal, capture: true });
    window.addEventListener("pointercancel", release, { signal, capture: true });
    window.addEventListener("blur", release, { signal });
    // Of whatever scrolls around the message.
    document.addEventListener("scroll", look, { signal, capture: true, passive: true });
    window.addEventListener("resize", look, { signal });
    return () => ended.abort();
  }, [look]);

  // A message may change, or go, under the selection.
  useEffect(() => store.subscribe(look), [store, look]);

  const putAside = () => {
    aside.current = selected?.range ?? null;
    setSelected(null);
  };
  return { selected, putAside };
}
