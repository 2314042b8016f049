/** Where rows of different heights lie in a long list, and which of them are in view. Heights in pixels. */
export class RowOffsets {
  private readonly ends: Float64Array;

  constructor(count: number, heightOf: (index: number) => number) {
    this.ends = new Float64Array(count);
    let end = 0;
    for (let index = 0; index < count; index += 1) {
      end += heightOf(index);
      this.ends[index] = end;
    }
  }

  get total(): number {
    return this.ends.at(-1) ?? 0;
  }

  top(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? this.total);
  }

  /** Index of the row at a position; the last row for one behind the end. */
  at(position: number): number {
    let low = 0;
    let high = this.ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] ?? 0) > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** `[first, end)` of the rows between two positions, with `extra` more on both sides. */
  range(from: number, to: number, extra: number): [number, number] {
    const count = this.ends.length;
    if (count === 0) {
      return [0, 0];
    }
    return [Math.max(0, this.at(Math.max(0, from)) - extra), Math.min(count, this.at(Math.max(0, to)) + 1 + extra)];
  }
}
