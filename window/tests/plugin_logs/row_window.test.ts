import { describe, expect, it } from "vitest";

import { RowOffsets } from "@/pages/plugin_logs/row_window";

describe("RowOffsets", () => {
  const heights = [10, 30, 10, 50];
  const offsets = new RowOffsets(heights.length, (index) => heights[index] ?? 0);

  it("adds heights up", () => {
    expect(offsets.total).toBe(100);
    expect([0, 1, 2, 3].map((index) => offsets.top(index))).toEqual([0, 10, 40, 50]);
  });

  it("finds the row at a position", () => {
    expect([0, 9, 10, 39, 40, 50, 99, 1000].map((position) => offsets.at(position))).toEqual([0, 0, 1, 1, 2, 3, 3, 3]);
  });

  it("gives the rows in view with some around them", () => {
    expect(offsets.range(10, 39, 0)).toEqual([1, 2]);
    expect(offsets.range(10, 39, 1)).toEqual([0, 3]);
    expect(offsets.range(-50, 1000, 5)).toEqual([0, 4]);
  });

  it("has nothing to show without rows", () => {
    const none = new RowOffsets(0, () => 1);
    expect([none.total, none.range(0, 100, 5)]).toEqual([0, [0, 0]]);
  });
});
