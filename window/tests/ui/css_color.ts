import type { Rgba } from "@/lib/contrast";

/** The declarations of the blocks whose selector list contains `selector`, later ones last; media queries aside. */
export function declarationsOf(css: string, selector: string): Map<string, string> {
  const found = new Map<string, string>();
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "");
  for (const [, selectors = "", body = ""] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (selectors.split(",").some((one) => one.trim() === selector)) {
      for (const declaration of body.split(";")) {
        const [, name, value] = /^\s*(--[\w-]+):\s*([\s\S]+?)\s*$/.exec(declaration) ?? [];
        if (name !== undefined && value !== undefined) {
          found.set(name.slice(2), value);
        }
      }
    }
  }
  return found;
}

type Lab = [number, number, number];

const toLinear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const fromLinear = (c: number) => {
  const clipped = Math.min(1, Math.max(0, c));
  return clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * clipped ** (1 / 2.4) - 0.055;
};

function toOklab([r, g, b]: Rgba): Lab {
  const [lr, lg, lb] = [toLinear(r), toLinear(g), toLinear(b)];
  const l = Math.cbrt(0.4122214708 * lr + 0.5363325363 * lg + 0.0514459929 * lb);
  const m = Math.cbrt(0.2119034982 * lr + 0.6806995451 * lg + 0.1073969566 * lb);
  const s = Math.cbrt(0.0883024619 * lr + 0.2817188376 * lg + 0.6299787005 * lb);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([L, a, b]: Lab, alpha: number): Rgba {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
    alpha,
  ];
}

/** Evaluates what the tokens are written with: `#rrggbb`, `black`, `transparent`, `var()`, `color-mix(in oklab, a n%, b)`. */
export function evaluate(value: string, tokens: Map<string, string>): Rgba {
  const text = value.trim();
  const reference = /^var\(--([\w-]+)\)$/.exec(text)?.[1];
  if (reference !== undefined) {
    const next = tokens.get(reference);
    if (next === undefined) {
      throw new Error(`no token --${reference}`);
    }
    return evaluate(next, tokens);
  }
  const hex = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (hex !== undefined) {
    const channel = (at: number) => parseInt(hex.slice(at, at + 2), 16) / 255;
    return [channel(0), channel(2), channel(4), 1];
  }
  if (text === "black") {
    return [0, 0, 0, 1];
  }
  if (text === "transparent") {
    return [0, 0, 0, 0];
  }
  const mix = /^color-mix\(in oklab, (.+?) (\d+(?:\.\d+)?%|var\(--[\w-]+\)), (.+)\)$/.exec(text);
  if (mix === null) {
    throw new Error(`cannot evaluate ${text}`);
  }
  const [, first = "", share = "", second = ""] = mix;
  const percent = parseFloat(share.startsWith("var") ? (tokens.get(share.slice(6, -1)) ?? "NaN") : share) / 100;
  const [a, b] = [evaluate(first, tokens), evaluate(second, tokens)];
  const alpha = a[3] * percent + b[3] * (1 - percent);
  const [la, lb] = [toOklab(a), toOklab(b)];
  const blend = (i: 0 | 1 | 2) => (la[i] * a[3] * percent + lb[i] * b[3] * (1 - percent)) / (alpha || 1);
  return fromOklab([blend(0), blend(1), blend(2)], alpha);
}
