import { afterEach, describe, expect, it } from "vitest";

import { mayTakeFocus } from "@/lib/first_focus";
import { kMainId } from "@/lib/main_region";

afterEach(() => document.body.replaceChildren());

function focusOn(markup: string): void {
  document.body.innerHTML = markup;
  document.querySelector<HTMLElement>("[data-on]")?.focus();
}

describe("mayTakeFocus", () => {
  it.each([
    ["nothing", "<p></p>"],
    ["a heading", "<main><h1 tabindex='-1' data-on></h1></main>"],
    ["the main region of a page without a heading", `<main id="${kMainId}" tabindex="-1" data-on></main>`],
    ["a link that led to the page", "<nav><a href='#' data-on></a></nav>"],
  ])("where the focus is on %s", (_, markup) => {
    focusOn(markup);
    expect(mayTakeFocus()).toBe(true);
  });

  it.each([
    ["a field", "<input data-on>"],
    ["a button of the page", `<main id="${kMainId}"><button data-on></button></main>`],
    ["a button of a dialog", "<div role='dialog'><button data-on></button></div>"],
  ])("not where somebody has put it on %s", (_, markup) => {
    focusOn(markup);
    expect(mayTakeFocus()).toBe(false);
  });
});
