const { setImmediate } = globalThis;

/** So many requests begin in one turn of the loop. */
const kAtOnce = 8;

/**
 * Spreads a burst of requests over turns of the loop. What a stream takes is known a few promises after its handler was called: of a
 * hundred that begin in one turn each would have made its first pieces before any is counted.
 */
export class Turns {
  #begun = 0;
  readonly #waiting: (() => void)[] = [];

  /** Undefined when the request may begin at once. */
  enter(): Promise<void> | undefined {
    if (this.#begun >= kAtOnce) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    if (this.#begun++ === 0) {
      setImmediate(this.#next);
    }
    return undefined;
  }

  #next = (): void => {
    const begin = this.#waiting.splice(0, kAtOnce);
    this.#begun = begin.length;
    if (begin.length > 0) {
      setImmediate(this.#next);
    }
    for (const resolve of begin) {
      resolve();
    }
  };
}
