import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "../../../support/js/bundle.mjs";

const { parseCss, printCss, splitSelectors, hasOutside } = load("modules/app/builder/css_tree.ts");
const { customProperties, scopeTheme, scopeUtilities, scopeOf } = load("modules/app/builder/scoping.ts");

const scoped = (css) => printCss(scopeUtilities(parseCss(css), "x").nodes).replace(/\s+/g, " ");
const scope = scopeOf("x");

test("a sheet is printed as it was read", () => {
  const css = `@layer a, b;\n@media (min-width: 1px) {\n.a\\{b, .c[title="};"] {\ncolor: red;\nbackground: url(data:x;y);\n}\n}\n/* { */ .d {\n}\n`;
  assert.equal(printCss(parseCss(css)).replace(/\s+/g, " "), css.replace(/\s+/g, " "));
});

test("selectors are split at their own commas only", () => {
  assert.deepEqual(splitSelectors(`.a, .b:is(.c, .d), .e\\,f, [x=","]`), [".a", ".b:is(.c, .d)", ".e\\,f", `[x=","]`]);
});

test("characters in brackets, strings and escapes do not count", () => {
  assert.equal(hasOutside(`.a\\+b[x~="+"]`, "+~"), false);
  assert.equal(hasOutside(".a > .b + .c", "+~"), true);
});

test("rules in conditions of the utilities layer are scoped too", () => {
  assert.equal(
    scoped("@layer utilities { @media print { .a { &:hover { b: c } } } }"),
    `@layer utilities { @media print { ${scope} .a, ${scope}.a { &:hover { b: c; } } } } `,
  );
});

test("keyframes and rules without a class stay as they are", () => {
  const css = "@keyframes a { 12.5% { b: c; } } @layer theme { :root { --a: b; } } ";
  assert.equal(scoped(css), css);
});

test("a class rule outside the utilities layer is an error", () => {
  assert.throws(() => scoped("@layer base { @media print { .a { b: c } } }"), /"\.a" is outside the utilities layer/);
});

test("what a plugin sets in its theme is there for its own parts", () => {
  const defaults = new Map([
    ["--spacing", "0.25rem"],
    ["--text-lg", "1.125rem"],
  ]);
  const theme = (css, authored = []) => printCss(scopeTheme(parseCss(css), "x", defaults, new Set(authored))).replace(/\s+/g, " ");
  assert.equal(
    theme("@layer theme { :root, :host { --spacing: 1rem; --text-lg: 1.125rem; --color-brand: red; } }"),
    `@layer theme { :root, :host { --text-lg: 1.125rem; --color-brand: red; } ${scope} { --spacing: 1rem; --color-brand: red; } } `,
  );
  // The author's own rules for the dark mode are as wide as they say.
  assert.equal(
    theme("@layer theme { :root, :host { --color-brand: red; } }", ["--color-brand"]),
    "@layer theme { :root, :host { --color-brand: red; } } ",
  );
  const other = "@layer theme { @keyframes a { to { b: c; } } } @layer base { :root { --spacing: 2rem; } } ";
  assert.equal(theme(other), other);
});

test("custom properties are found with their values", () => {
  const css = ":root { /* wide */ --a: 1px\n  2px; b: c; @media print { --b: url(x;y); } }";
  assert.deepEqual(
    [...customProperties(parseCss(css))],
    [
      ["--a", "1px 2px"],
      ["--b", "url(x;y)"],
    ],
  );
});
