import type { KeyboardEvent, RefObject } from "react";

import { isComposing } from "@/lib/composing";
import type { VirtualListHandle } from "@/ui/virtual_list";
import { kMessageText } from "./message_selection";
import type { TimelineStore } from "./timeline_store";

/** What stands for the composer's place in the way through the messages: after the last one. */
const kEnd = null;

const isMessage = (store: Pick<TimelineStore, "row">, id: string): boolean => store.row(id)?.kind === "conversation";

/** The message that comes before or after a row; `kEnd` after the last, undefined before the first. */
export function messageBeside(
  store: Pick<TimelineStore, "row" | "snapshot">,
  from: string | null,
  direction: "previous" | "next",
): string | null | undefined {
  const { order } = store.snapshot();
  const step = direction === "next" ? 1 : -1;
  const at = from === kEnd ? order.length : order.indexOf(from);
  for (let index = at + step; index >= 0 && index < order.length; index += step) {
    if (isMessage(store, order[index]!)) {
      return order[index]!;
    }
  }
  return direction === "next" ? kEnd : undefined;
}

/** Where somebody is: at a row, in the text of the next message, or at what is in view. */
function placeOf(target: HTMLElement, list: VirtualListHandle, direction: "previous" | "next"): string | null {
  const key = target.closest<HTMLElement>("[data-key]")?.dataset.key;
  if (key !== undefined || isText(target) || isQuestion(target)) {
    return key ?? kEnd;
  }
  const inView = list.inView();
  // As if the row just outside of the view had the focus: the first step is to what can be seen.
  return (direction === "next" ? inView.before : inView.after) ?? kEnd;
}

const isText = (target: HTMLElement): boolean => target.matches("input, textarea, select, [contenteditable='true']");
const isQuestion = (target: HTMLElement): boolean => target.closest("[data-svc-interaction]") !== null;
const isComposer = (target: HTMLElement): boolean => target.closest("[data-promptbox]") !== null;

/** Whether the arrow would move nothing in the text that has the focus. */
function isAtStart(target: HTMLElement): boolean {
  return target instanceof HTMLTextAreaElement && target.selectionStart === 0 && target.selectionEnd === 0;
}

export interface ConversationKeys {
  store: TimelineStore;
  list: RefObject<VirtualListHandle | null>;
  /** Ends what the agent does; absent while it does nothing. */
  stop?: (() => void) | undefined;
  toComposer(): void;
  /** What is asked above the composer; null while nothing is. */
  question(): HTMLElement | null;
}

/** The text of the next message; those of messages that wait come before it. */
export const composerIn = (place: HTMLElement): HTMLElement | null =>
  [...place.querySelectorAll<HTMLElement>("[data-promptbox] textarea")].at(-1) ?? null;

/**
 * Keys of a shown thread, wherever in it the focus is: Escape stops the agent, Alt and an arrow go from message to message, and to
 * what is asked between the last one and the composer; Ctrl+A there selects the message. What a menu, a
 * dialog or a form within it makes of a key comes first.
 */
export function handleConversationKey(event: KeyboardEvent<HTMLElement>, keys: ConversationKeys): void {
  const { target, currentTarget, nativeEvent } = event;
  // React tells of what happens in dialogs that were opened from here, too.
  if (event.defaultPrevented || isComposing(nativeEvent) || !(target instanceof HTMLElement) || !currentTarget.contains(target)) {
    return;
  }
  if (event.key === "Escape") {
    stopOn(event, target, keys);
  } else if (event.key === "a" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    selectOn(event, target);
  } else if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    moveOn(event, target, keys);
  }
}

function stopOn(event: KeyboardEvent, target: HTMLElement, { stop }: ConversationKeys): void {
  // Of a question, Escape would leave unclear whether it is denied; a search or a form has uses of its own for it.
  const isElsewhere = isQuestion(target) || (isText(target) && !isComposer(target));
  if (stop !== undefined && !event.repeat && !isElsewhere) {
    event.preventDefault();
    stop();
  }
}

/** Of a message that somebody went to by keys: its text, not the page's. */
function selectOn(event: KeyboardEvent, target: HTMLElement): void {
  const text = target.dataset.byKey === undefined ? null : target.querySelector(kMessageText);
  if (text !== null) {
    event.preventDefault();
    document.getSelection()?.selectAllChildren(text);
  }
}

function moveOn(event: KeyboardEvent, target: HTMLElement, { store, list, toComposer, question }: ConversationKeys): void {
  const direction = event.key === "ArrowUp" ? "previous" : event.key === "ArrowDown" ? "next" : null;
  const shown = list.current;
  if (direction === null || shown === null || (isText(target) && !(direction === "previous" && isComposer(target) && isAtStart(target)))) {
    return;
  }
  const asked = isQuestion(target) ? null : question();
  if (asked !== null && isComposer(target)) {
    event.preventDefault();
    focusByKey(asked);
    return;
  }
  const wanted = messageBeside(store, placeOf(target, shown, direction), direction);
  if (wanted === undefined) {
    return;
  }
  event.preventDefault();
  if (wanted !== kEnd) {
    focusByKey(shown.draw(wanted)?.querySelector<HTMLElement>("[data-message-role]"));
  } else if (asked === null) {
    toComposer();
  } else {
    focusByKey(asked);
  }
}

/** Shows where the focus is, as with Tab: of a key with Alt, browsers do not think that somebody goes around with keys. */
export function focusByKey(element: HTMLElement | null | undefined): void {
  if (element !== null && element !== undefined) {
    element.dataset.byKey = "";
    element.addEventListener("blur", () => delete element.dataset.byKey, { once: true });
    element.focus({ preventScroll: true });
  }
}
