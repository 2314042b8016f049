import { ownMember } from "@/lib/own";

const kColor = /^#[0-9a-f]{6}$/i;

/** Names that a choice may have, as the mark looks well in them on light and dark tabs. */
const kNamed: Readonly<Record<string, string>> = {
  blue: "#2f6bb8",
  green: "#1b7a42",
  orange: "#c2610c",
  pink: "#c0397f",
  purple: "#7d43c2",
  red: "#c53b36",
  teal: "#0f7278",
  yellow: "#a97a06",
};

/** The window's mark in a colour, as the page's icon can be told apart among tabs. */
function markIn(color: string): string {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect x="1" y="1" width="18" height="18" rx="5" fill="${color}"/>` +
    '<path d="M6 5.5h5.5a2.25 2.25 0 0 1 0 4.5h-3a2.25 2.25 0 0 0 0 4.5" fill="none" stroke="#fff" stroke-width="1.75" stroke-linecap="round"/></svg>';
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

let original: string | undefined;

/** Shows the icon in a colour, `#rrggbb` or a name; null and anything else give back the window's own. */
export function setFaviconColor(choice: string | null): void {
  const color = choice === null ? null : (ownMember(kNamed, choice) ?? choice);
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) {
    return;
  }
  original ??= link.href;
  link.href = color !== null && kColor.test(color) ? markIn(color) : original;
}
