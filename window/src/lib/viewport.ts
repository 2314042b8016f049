import { useSyncExternalStore } from "react";

/** `L:compact` — narrower than 768 px, or a coarse pointer on less than 1024 px. */
export const kCompactQuery = "(width < 768px), (pointer: coarse) and (width < 1024px)";

const query = typeof matchMedia === "function" ? matchMedia(kCompactQuery) : undefined;

function subscribe(listener: () => void): () => void {
  query?.addEventListener("change", listener);
  return () => query?.removeEventListener("change", listener);
}

/** The same outside of React. */
export function isCompactNow(): boolean {
  return query?.matches ?? false;
}

/** Whether the window is compact: sidebar and right panel are drawers then, dialogs come from the bottom. */
export function useIsCompact(): boolean {
  return useSyncExternalStore(subscribe, isCompactNow, () => false);
}

/** Whether people type on keys: where they do not, a field with the focus brings up a keyboard that covers half of the page. */
export function hasKeyboard(): boolean {
  return typeof matchMedia !== "function" || !matchMedia("(pointer: coarse)").matches;
}
