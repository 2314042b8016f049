import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { contrastFailures, contrastRatio, kContrastPairs } from "@/lib/contrast";

import { declarationsOf, evaluate } from "./css_color";

const kTokens = readFileSync("src/styles/tokens.css", "utf8");
const kPluginTheme = readFileSync("../modules/app/builder/theme.css", "utf8");

function tokensOf(mode: "light" | "dark"): Map<string, string> {
  return new Map([...declarationsOf(kTokens, ":root"), ...declarationsOf(kTokens, `.${mode}`)]);
}

describe.each(["light", "dark"] as const)("tokens, %s", (mode) => {
  const tokens = tokensOf(mode);

  test("hold every variable that plugins compile against", () => {
    const wanted = [...kPluginTheme.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name!);
    expect(wanted.length).toBeGreaterThan(60);
    expect(wanted.filter((name) => !tokens.has(name))).toEqual([]);
  });

  test("hold every colour under its theme name, fonts, text sizes and terminal colours", () => {
    const names = [...kPluginTheme.matchAll(/^\s*--((?:color|font|text|radius)-[\w-]+):/gm)].map(([, name]) => name!);
    const ansi = Array.from({ length: 16 }, (_, index) => `ansi-${index}`);
    expect([...names, ...ansi].filter((name) => !tokens.has(name))).toEqual([]);
  });

  test("are far enough apart to be read", () => {
    const failures = contrastFailures((name) => {
      const value = tokens.get(name);
      return value === undefined ? undefined : evaluate(value, tokens);
    });
    expect(failures.map(({ text, surface, ratio, min }) => `${text} on ${surface}: ${ratio.toFixed(2)} < ${min}`)).toEqual([]);
  });

  test("are all measured: no pair names a token that does not exist", () => {
    expect(kContrastPairs.flatMap(({ text, surface }) => [text, surface]).filter((name) => !tokens.has(name))).toEqual([]);
  });

  test("keep terminal colours readable on the canvas", () => {
    const canvas = evaluate("var(--background)", tokens);
    const ratios = Array.from({ length: 15 }, (_, index) => contrastRatio(evaluate(`var(--ansi-${index + 1})`, tokens), canvas));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
  });
});

test("the ratio of black and white is 21, of equals 1", () => {
  expect(contrastRatio([0, 0, 0, 1], [1, 1, 1, 1])).toBeCloseTo(21);
  expect(contrastRatio([0.5, 0.5, 0.5, 1], [0.5, 0.5, 0.5, 1])).toBe(1);
});
