/** What one mount set elsewhere in the window, so that it ends with the mount. */
export class Ownership {
  readonly #releases = new Set<() => void>();
  #hasEnded = false;

  /** See `PluginMount.own`. */
  readonly own = (release: () => void): (() => void) => {
    const once = () => {
      if (this.#releases.delete(once)) {
        release();
      }
    };
    this.#releases.add(once);
    if (this.#hasEnded) {
      once();
    }
    return once;
  };

  readonly hasEnded = (): boolean => this.#hasEnded;

  /** The mount is there (again). */
  start(): void {
    this.#hasEnded = false;
  }

  /** Releases the newest first; one that throws does not keep the others. */
  end(): void {
    this.#hasEnded = true;
    for (const release of [...this.#releases].reverse()) {
      try {
        release();
      } catch (failure) {
        console.error("what a plugin's mount owned could not be released", failure);
      }
    }
  }
}
