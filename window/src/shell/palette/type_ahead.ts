// The palette is loaded when it opens first, and who types fast does not wait for that.

export interface Typed {
  readonly text: string;
  /** Enter was pressed behind the text: nothing is kept after that. */
  readonly isEntered: boolean;
}

/** A palette that is not there by then may never come: its server is away. */
const kLongestMs = 5_000;
const kNothing: Typed = { text: "", isEntered: false };

let typed = kNothing;
let end: (() => void) | null = null;

function after({ text }: Typed, key: string): Typed | null {
  if (key === "Enter") {
    return { text, isEntered: true };
  }
  if (key === "Backspace") {
    return { text: [...text].slice(0, -1).join(""), isEntered: false };
  }
  return [...key].length === 1 ? { text: text + key, isEntered: false } : null;
}

/** Keeps what is typed from now on from the page, until `takeTyped` or for five seconds. Escape ends it and calls `onEscape`. */
export function keepTyped(onEscape: () => void): void {
  if (end !== null) {
    return;
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
      return;
    }
    const next = typed.isEntered ? typed : after(typed, event.key);
    if (event.key === "Escape") {
      takeTyped();
      onEscape();
    } else if (next === null) {
      return;
    } else {
      typed = next;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("keydown", onKeyDown, true);
  const timer = setTimeout(takeTyped, kLongestMs);
  end = () => {
    clearTimeout(timer);
    removeEventListener("keydown", onKeyDown, true);
  };
}

/** What was typed meanwhile; from here on keys go where the focus is. */
export function takeTyped(): Typed {
  end?.();
  end = null;
  const taken = typed;
  typed = kNothing;
  return taken;
}
