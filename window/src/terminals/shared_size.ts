import { resizeTerminal, type Size, type Terminal } from "@/api/terminals";
import { createJoiner } from "@/lib/join";
import { createStore, type ReadableStore } from "@/lib/store";

/** Milliseconds of quiet after which the machine is told of a new size, and the longest wait. */
const kSizeMs = 100;
const kSizeMaxMs = 500;

const isSame = (a: Size, b: Size): boolean => a.cols === b.cols && a.rows === b.rows;

/** A terminal has one size, however many windows show it: the one that was used last sets it. */
export interface SharedSize {
  /** The size that another window has set; null while the terminal has that of this one. */
  readonly others: ReadableStore<Size | null>;
  /** This window has room for this. */
  want(size: Size): void;
  /** Somebody uses the terminal here. */
  use(): void;
  /** The service's record of it is another one. */
  follow(): void;
  stop(): void;
}

export function createSharedSize(id: string, terminal: () => Terminal, resize = resizeTerminal): SharedSize {
  const others = createStore<Size | null>(null);
  let wanted: Size | undefined;
  /** Whether the terminal has had the size that is wanted here: what differs from then on is of another window. */
  let isAgreed = false;
  const differs = () => wanted !== undefined && terminal().status === "running" && !isSame(wanted, terminal());
  const send = createJoiner(
    () => {
      if (differs()) {
        // The next change of the size, or the next click, is another try.
        resize(id, wanted!).catch((failure: unknown) => console.warn("the machine was not told of the terminal's size", failure));
      }
    },
    { waitMs: kSizeMs, maxMs: kSizeMaxMs },
  );
  const compare = () => {
    const { cols, rows } = terminal();
    if (!differs()) {
      isAgreed = isAgreed || (wanted !== undefined && isSame(wanted, { cols, rows }));
      others.set(null);
    } else if (isAgreed) {
      const known = others.get();
      others.set(known !== null && isSame(known, { cols, rows }) ? known : { cols, rows });
    } else {
      send();
    }
  };
  /** From now on the size of this window counts. */
  const claim = () => {
    isAgreed = false;
    compare();
  };
  return {
    others,
    want(size) {
      wanted = size;
      // What others rule is not taken back because something moved here.
      (others.get() === null ? claim : compare)();
    },
    use() {
      if (differs()) {
        others.set(null);
        claim();
      }
    },
    follow: compare,
    stop: () => send.cancel(),
  };
}
