export interface JoinerOptions {
  /** Milliseconds without a call after which what was asked for runs. */
  waitMs: number;
  /** Milliseconds after which it runs even when calls go on. */
  maxMs: number;
}

/** Joins calls. `cancel` forgets what waits. */
export interface Joiner {
  (): void;
  cancel(): void;
}

/**
 * Runs the first call after a quiet time at once, so that a single change shows without delay, and joins those that follow: they
 * run together when `waitMs` passed without another one, at the latest after `maxMs`.
 */
export function createJoiner(run: () => void, { waitMs, maxMs }: JoinerOptions): Joiner {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  let waitsSince = 0;

  function settle(): void {
    timer = undefined;
    if (isWanted) {
      fire();
    }
  }

  function fire(): void {
    isWanted = false;
    clearTimeout(timer);
    timer = setTimeout(settle, waitMs);
    run();
  }

  function call(): void {
    if (timer === undefined) {
      fire();
      return;
    }
    const now = Date.now();
    if (!isWanted) {
      isWanted = true;
      waitsSince = now;
    }
    clearTimeout(timer);
    timer = setTimeout(settle, Math.max(0, Math.min(waitMs, waitsSince + maxMs - now)));
  }

  call.cancel = () => {
    clearTimeout(timer);
    timer = undefined;
    isWanted = false;
  };
  return call;
}
