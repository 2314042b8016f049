import { headingOf, kMainId } from "@/lib/main_region";
import { hasKeyboard } from "@/lib/viewport";

/** Milliseconds in which whoever took a control away may put the focus where it knows better. */
const kPatience = 60;
/** How many elements around what was removed are looked at for another control; farther away, the page's heading is clearer. */
const kLevels = 2;

const kControls = "a[href], button, input, select, textarea, summary, [tabindex]";
const kFields = "input:not([type=checkbox], [type=radio]), textarea, select";

/** Where something was removed. */
interface Gap {
  readonly parent: Element;
  readonly next: Node | null;
  readonly previous: Node | null;
}

function isReachable(control: HTMLElement): boolean {
  // On a touch screen a field would open the keyboard.
  const opensKeyboard = !hasKeyboard() && control.matches(kFields);
  const isShown = control.getClientRects().length > 0 && control.closest("[inert], [aria-hidden=true]") === null;
  return control.tabIndex >= 0 && isShown && !control.matches(":disabled") && !opensKeyboard;
}

function firstIn(node: Node): HTMLElement | undefined {
  return node instanceof HTMLElement
    ? [node, ...node.querySelectorAll<HTMLElement>("*")].find((element) => element.matches(kControls) && isReachable(element))
    : undefined;
}

/**
 * The first control of what comes after a gap, else of what comes before it; undefined where there is neither. Never the last one of something:
 * that is where things are denied and deleted, and a key may be pressed twice.
 */
function controlAt({ parent, next, previous }: Gap): HTMLElement | undefined {
  const isIn = (node: Node | null): node is Node => node?.parentNode === parent;
  // With its neighbours taken away as well, what comes first is near enough.
  if (!isIn(next) && !isIn(previous)) {
    return [...parent.children].map(firstIn).find((control) => control !== undefined);
  }
  for (let after = isIn(next) ? next : previous!.nextSibling; after !== null; after = after.nextSibling) {
    const control = firstIn(after);
    if (control !== undefined) {
      return control;
    }
  }
  for (let before = isIn(previous) ? previous : next!.previousSibling; before !== null; before = before.previousSibling) {
    const control = firstIn(before);
    if (control !== undefined) {
      return control;
    }
  }
  return undefined;
}

function moveFocus(gap: Gap): void {
  let { parent, next, previous } = gap;
  const region = parent.closest<HTMLElement>(`#${kMainId}, nav, aside`);
  for (let level = 0; level < kLevels && region?.contains(parent) === true; level += 1) {
    const control = controlAt({ parent, next, previous });
    if (control !== undefined) {
      control.focus();
      return;
    }
    [next, previous] = [parent.nextSibling, parent.previousSibling];
    parent = parent.parentElement!;
  }
  if (region?.id === kMainId) {
    headingOf(region).focus({ preventScroll: true });
  }
}

/**
 * Whoever uses the keyboard goes on where they were: when the control that has the focus is taken away, a browser leaves the focus
 * nowhere. It goes to the control that has come in its place, or near it; what is moved keeps it. What closes a layer or changes the page sees
 * to the focus itself.
 */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null;
  let page = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new AbortController();
  const { signal } = end;
  const onFocus = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? target : null;
    page = location.pathname;
  };
  const onPointer = ({ target }: PointerEvent) => {
    if (last?.contains(target as Node) === false) {
      last = null;
    }
  };
  document.addEventListener("focusin", onFocus, { capture: true, signal });
  document.addEventListener("pointerdown", onPointer, { capture: true, signal });
  const isLost = () => document.activeElement === document.body && location.pathname === page;
  const observer = new MutationObserver((records) => {
    const lost = last;
    if (lost === null || !isLost()) {
      return;
    }
    const record = records.findLast(
      ({ target, removedNodes }) => target.isConnected && [...removedNodes].some((node) => node.contains(lost)),
    );
    if (record === undefined) {
      return;
    }
    if (lost.isConnected) {
      lost.focus({ preventScroll: true });
      return;
    }
    const { target, nextSibling: next, previousSibling: previous } = record;
    clearTimeout(timer);
    timer = setTimeout(() => isLost() && moveFocus({ parent: target as Element, next, previous }), kPatience);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    end.abort();
    observer.disconnect();
    clearTimeout(timer);
  };
}
