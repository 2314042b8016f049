import { describe, expect, it } from "vitest";

import { contrastOf, readableColor } from "@/sdk_app/contrast";

const kLight = [222, 232, 231] as const;
const rgbOf = (text: string) => text.match(/\d+/g)!.map(Number) as unknown as readonly [number, number, number];

describe("readableColor", () => {
  it("leaves colours alone that can be read", () => {
    expect(readableColor("#0550ae", "light")).toBe("#0550ae");
    expect(readableColor("#ff7b72", "dark")).toBe("#ff7b72");
  });

  it.each(["#6e7781", "#cf222e", "#fff", "#d73a49ff"])("makes %s readable on light surfaces", (color) => {
    expect(contrastOf(rgbOf(readableColor(color, "light")), kLight)).toBeGreaterThanOrEqual(4.5);
  });

  it("makes a dark colour readable on dark surfaces", () => {
    expect(readableColor("#24292e", "dark")).toMatch(/^rgb\(1\d\d/);
  });

  it("leaves what is no plain colour", () => {
    expect(readableColor("var(--x)", "light")).toBe("var(--x)");
  });

  it("measures as WCAG does", () => {
    expect(contrastOf([0, 0, 0], [255, 255, 255])).toBe(21);
  });
});
