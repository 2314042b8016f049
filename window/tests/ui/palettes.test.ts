import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { contrastFailures, contrastRatio } from "@/lib/contrast";

import { declarationsOf, evaluate } from "./css_color";

const kFolder = "../modules/themes/palettes";
const kTokens = readFileSync("src/styles/tokens.css", "utf8");
const kPalettes = readdirSync(kFolder);

test("the palettes of the service are those plugins know", () => {
  expect(kPalettes.sort()).toEqual(["catppuccin.css", "dracula.css", "gruvbox.css", "nord.css", "solarized.css"]);
});

describe.each(kPalettes)("%s", (file) => {
  const css = readFileSync(`${kFolder}/${file}`, "utf8");

  describe.each(["light", "dark"] as const)("%s", (mode) => {
    const own = [kTokens, css].flatMap((text) => [...declarationsOf(text, ":root"), ...declarationsOf(text, `.${mode}`)]);
    const tokens = new Map(own);

    test("overrides only tokens that there are", () => {
      const known = new Set([...declarationsOf(kTokens, ":root").keys(), ...declarationsOf(kTokens, `.${mode}`).keys()]);
      expect([...declarationsOf(css, `.${mode}`).keys()].filter((name) => !known.has(name))).toEqual([]);
    });

    test("can be read", () => {
      const failures = contrastFailures((name) => {
        const value = tokens.get(name);
        return value === undefined ? undefined : evaluate(value, tokens);
      });
      expect(failures.map(({ text, surface, ratio, min }) => `${text} on ${surface}: ${ratio.toFixed(2)} < ${min}`)).toEqual([]);
    });

    test("keeps terminal colours readable on the canvas", () => {
      const canvas = evaluate("var(--background)", tokens);
      const ratios = Array.from({ length: 15 }, (_, index) => contrastRatio(evaluate(`var(--ansi-${index + 1})`, tokens), canvas));
      expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
    });
  });
});
