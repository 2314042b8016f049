/**
 * A text that grows at its end. It is kept in the pieces that came, so that adding costs what is added; whoever shows it reads the pieces
 * that it has not seen. `length` and `count` change with each piece, the object stays.
 */
export class GrowingText {
  readonly #pieces: string[] = [];
  #length = 0;
  #joined = "";
  #joinedCount = 0;

  constructor(text = "") {
    this.append(text);
  }

  /** UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  /** How many pieces there are. */
  get count(): number {
    return this.#pieces.length;
  }

  append(piece: string): void {
    if (piece !== "") {
      this.#pieces.push(piece);
      this.#length += piece.length;
    }
  }

  /** What was added after the first `count` pieces. */
  since(count: number): string {
    return this.#pieces.slice(count).join("");
  }

  /** The last `length` units, at a cost that does not depend on the rest. */
  tail(length: number): string {
    let taken = 0;
    let first = this.#pieces.length;
    while (first > 0 && taken < length) {
      first -= 1;
      taken += this.#pieces[first]!.length;
    }
    const end = this.since(first);
    return end.slice(Math.max(0, end.length - length));
  }

  toString(): string {
    if (this.#joinedCount < this.#pieces.length) {
      this.#joined += this.since(this.#joinedCount);
      this.#joinedCount = this.#pieces.length;
    }
    return this.#joined;
  }
}
