import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

import { paths } from "@/lib/navigation";
import { pageKeyOf } from "./route_focus";

const kMaxPlaces = 200;
const kStorageKey = "svc.scroll";

/** What was kept for a document that is loaded again, or gone back to from another site. One that is opened begins at its top. */
function restored(): [string, number][] {
  try {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const kept: unknown = navigation?.type === "navigate" ? [] : JSON.parse(sessionStorage.getItem(kStorageKey) ?? "[]");
    return (Array.isArray(kept) ? kept : []).filter(
      (each): each is [string, number] => Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "number",
    );
  } catch {
    return [];
  }
}

/** How far each entry of the history was scrolled, by its key. */
const places = new Map<string, number>(restored());

window.addEventListener("pagehide", () => {
  try {
    sessionStorage.setItem(kStorageKey, JSON.stringify([...places]));
  } catch {
    // The next document begins at its top.
  }
});

/** How long the content of a page that is gone back to may take until it is as long as it was. */
const kGrowMs = 3_000;
/** What says that somebody scrolls for themselves. */
const kOwnScrolling = ["wheel", "pointerdown", "touchstart", "keydown"] as const;

function remember(key: string, top: number): void {
  places.delete(key);
  places.set(key, top);
  if (places.size > kMaxPlaces) {
    places.delete(places.keys().next().value!);
  }
}

/** Scrolls to `top` as soon as the content reaches so far, unless somebody scrolls before. Returns what gives it up. */
function scrollWhenGrown(element: HTMLElement, top: number): () => void {
  const ending = new AbortController();
  const end = () => ending.abort();
  const look = () => {
    element.scrollTop = top;
    if (element.scrollTop >= top - 1) {
      end();
    }
  };
  const observer = new MutationObserver(look);
  const timer = setTimeout(end, kGrowMs);
  ending.signal.addEventListener("abort", () => {
    observer.disconnect();
    clearTimeout(timer);
  });
  for (const kind of kOwnScrolling) {
    element.addEventListener(kind, end, { passive: true, signal: ending.signal });
  }
  observer.observe(element, { childList: true, subtree: true });
  look();
  return end;
}

/** The plugins and what a package says of itself are told apart by their query, other pages keep their place while it changes. */
const placeOf = (pathname: string, search: string): string => pageKeyOf(pathname) + (pathname === paths.plugins() ? search : "");

/**
 * What browsers do for documents, for a part of the page that scrolls: another page begins at its top, one that is gone back to where it
 * was left. What a plugin does below its own panel is no other page.
 */
export function useScrollMemory(scroller: RefObject<HTMLElement | null>): void {
  const { key, pathname, search } = useLocation();
  const isGoneBackTo = useNavigationType() === "POP";
  const page = placeOf(pathname, search);
  const shown = useRef({ key, page });
  useLayoutEffect(() => {
    const element = scroller.current;
    const isOther = shown.current.page !== page;
    shown.current = { key, page };
    if (element === null) {
      return;
    }
    const top = isGoneBackTo ? places.get(key) : isOther ? 0 : undefined;
    return top === undefined ? undefined : scrollWhenGrown(element, top);
  }, [scroller, key, page, isGoneBackTo]);
  useEffect(() => {
    const element = scroller.current;
    const note = () => remember(shown.current.key, element!.scrollTop);
    element?.addEventListener("scroll", note, { passive: true });
    return () => element?.removeEventListener("scroll", note);
  }, [scroller]);
}
