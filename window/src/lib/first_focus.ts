import { kMainId } from "./main_region";
import { hasKeyboard } from "./viewport";

/** Whether a page may put the focus where typing is meant to go: nobody has put it anywhere but on the way to the page. */
export function mayTakeFocus(): boolean {
  const active = document.activeElement;
  if (!hasKeyboard()) {
    return false;
  }
  // After a change of the route the focus is on the heading, and on the main region of a page that has none yet.
  if (active === null || active === document.body || active.tagName === "H1" || active.id === kMainId) {
    return true;
  }
  const isOnTheWay = active.matches("a, button") && active.closest(`[role="dialog"], [role="alertdialog"], #${kMainId}`) === null;
  return isOnTheWay;
}
