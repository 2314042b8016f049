import type { KeyboardEvent } from "react";

/** Arrow keys in a list of rows: the focus goes to the link of the next one, which a virtual list has drawn ahead. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
  if (
    step === undefined ||
    row === null ||
    !event.currentTarget.contains(row) ||
    !(event.target as HTMLElement).matches("[data-row-link]")
  ) {
    return;
  }
  const next = event.currentTarget.querySelector<HTMLElement>(`[data-index="${Number(row.dataset.index) + step}"] [data-row-link]`);
  if (next !== null) {
    event.preventDefault();
    next.focus();
  }
}
