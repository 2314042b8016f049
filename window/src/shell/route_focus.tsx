import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

import { focusMain, headingOf, kMainId } from "@/lib/main_region";

import { keepFocus } from "./lost_focus";
import { pageTitle } from "./page_title";

/** Which page an address shows. What a plugin does below its own panel is no change of the page. */
export function pageKeyOf(pathname: string): string {
  const [, first, second, third] = pathname.split("/");
  return first === "plugins" && second !== undefined && third !== undefined ? `/${first}/${second}/${third}` : pathname;
}

/** What a browser does when it loads a page, for changes of the route: the focus moves to the heading, the title is announced. */
export function RouteFocus() {
  const { pathname } = useLocation();
  const page = pageKeyOf(pathname);
  const shown = useRef(page);
  const [announced, setAnnounced] = useState("");
  useEffect(keepFocus, []);
  useEffect(() => {
    if (shown.current === page) {
      return;
    }
    shown.current = page;
    const main = document.getElementById(kMainId);
    setAnnounced(pageTitle.get());
    // A page that put the focus somewhere itself, such as the composer, knows better.
    if (main !== null && !main.contains(document.activeElement)) {
      headingOf(main).focus({ preventScroll: true });
    }
  }, [page]);
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {announced}
    </p>
  );
}

export function SkipLink() {
  return (
    <button
      type="button"
      onClick={focusMain}
      className="fixed top-2 left-2 z-80 -translate-y-16 rounded-md bg-primary px-3 py-2 text-sm font-medium text-primary-foreground shadow-md focus-visible:translate-y-0"
    >
      Skip to content
    </button>
  );
}
