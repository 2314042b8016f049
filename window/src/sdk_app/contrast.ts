/** What text needs against its background (WCAG 2.2 AA). */
const kMinContrast = 4.5;
/** The surface under code that leaves the least contrast, and what colours are mixed with to stand out from it. */
const kSurfaces = {
  light: { surface: [222, 232, 231], ink: [0, 0, 0] },
  dark: { surface: [38, 48, 48], ink: [255, 255, 255] },
} as const;
const kSteps = 20;

type Rgb = readonly [number, number, number];

function parseHex(color: string): Rgb | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})(?:[0-9a-f]{2})?$/i.exec(color)?.[1];
  if (digits === undefined) {
    return null;
  }
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : digits.match(/../g)!;
  return pairs.map((pair) => Number.parseInt(pair, 16)) as unknown as Rgb;
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrastOf(a: Rgb, b: Rgb): number {
  const [bright, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

/** A code theme's colour, mixed with ink until it can be read on the window's surfaces: themes are made for another background. */
export function readableColor(color: string, mode: "light" | "dark"): string {
  const rgb = parseHex(color);
  if (rgb === null) {
    return color;
  }
  const { surface, ink } = kSurfaces[mode];
  for (let step = 0; step <= kSteps; step++) {
    const mixed = rgb.map((value, at) => Math.round(value + ((ink[at]! - value) * step) / kSteps)) as unknown as Rgb;
    if (contrastOf(mixed, surface) >= kMinContrast) {
      return step === 0 ? color : `rgb(${mixed.join(" ")})`;
    }
  }
  return color;
}
