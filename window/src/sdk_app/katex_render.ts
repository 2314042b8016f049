import "katex/dist/katex.min.css";

import katex from "katex";

/**
 * What defines macros. One that is called a thousand times, or that doubles what it is given, makes a page of symbols of a line of text, and
 * nothing bounds their number.
 */
const kDefining = ["def", "gdef", "edef", "xdef", "let", "futurelet", "global", "long", "newcommand", "renewcommand", "providecommand"];
const kMacros = Object.fromEntries(
  kDefining.map((name) => [
    `\\${name}`,
    () => {
      throw new Error("macros cannot be defined here");
    },
  ]),
);

/** Characters of HTML: some formulas of a page of source make megabytes. */
const kMaxDrawn = 500_000;

/**
 * A formula as HTML with MathML beside it; null for one that cannot be drawn. An error in it shows the formula in red; it cannot link or load
 * anything.
 */
export function renderFormula(source: string, isDisplay: boolean): string | null {
  try {
    const html = katex.renderToString(source, {
      displayMode: isDisplay,
      throwOnError: false,
      errorColor: "var(--destructive-text)",
      strict: "ignore",
      trust: false,
      maxExpand: 1000,
      maxSize: 40,
      macros: { ...kMacros },
    });
    return html.length > kMaxDrawn ? null : html;
  } catch {
    // Of macros, and of what is nested too deeply for it.
    return null;
  }
}
