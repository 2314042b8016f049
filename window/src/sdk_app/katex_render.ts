import "katex/dist/katex.min.css";

import katex from "katex";

/** A formula as HTML with MathML beside it. An error in it shows the formula in red; it cannot link or load anything. */
export function renderFormula(source: string, isDisplay: boolean): string {
  return katex.renderToString(source, {
    displayMode: isDisplay,
    throwOnError: false,
    errorColor: "var(--destructive-text)",
    strict: "ignore",
    trust: false,
    maxExpand: 1000,
    maxSize: 40,
  });
}
