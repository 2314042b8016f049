import { navigation, pathnameNow } from "@/lib/navigation";

import { isPlainClick } from "./links";

/** What a click is on, also inside of a shadow tree. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  return event.composedPath().find((target): target is HTMLAnchorElement => target instanceof HTMLAnchorElement);
}

/**
 * Links of a page to a part of itself (`#part`) and to itself with another query (`?a=1`) do what their author knows from documents. Left
 * alone they would lead to the start of the window, which is where its `<base>` says that addresses begin, and load everything again.
 */
export function followLocalLinks(): void {
  document.addEventListener("click", (event) => {
    const link = isPlainClick(event) ? linkOf(event) : undefined;
    const href = link?.getAttribute("href")?.trim() ?? "";
    if (link === undefined || (link.target !== "" && link.target !== "_self") || link.hasAttribute("download")) {
      return;
    }
    if (href.startsWith("#")) {
      event.preventDefault();
      // The browser scrolls, moves the focus and tells listeners of `hashchange`, as it does in documents without a `<base>`.
      location.hash = href;
    } else if (href.startsWith("?")) {
      event.preventDefault();
      navigation.to(pathnameNow() + href);
    }
  });
}
