/** The id of the page's `main`. */
export const kMainId = "main";

/** The heading that takes the focus for the page. */
export function headingOf(main: HTMLElement): HTMLElement {
  const heading = main.querySelector<HTMLElement>("h1") ?? main;
  if (!heading.hasAttribute("tabindex")) {
    heading.tabIndex = -1;
  }
  return heading;
}

/** Moves the focus into the page, past the sidebar. */
export function focusMain(): void {
  const main = document.getElementById(kMainId);
  if (main !== null) {
    headingOf(main).focus();
  }
}
