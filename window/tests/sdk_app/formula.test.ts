import { describe, expect, it } from "vitest";

import { renderFormula } from "@/sdk_app/katex_render";

describe("a formula", () => {
  it("is HTML with MathML beside it", () => {
    expect(renderFormula("x^2", false)).toContain("<math");
    expect(renderFormula("\\begin{aligned}a&=b\\\\c&=d\\end{aligned}", true)).toContain("katex-display");
  });

  it.each([
    ["with a macro that is called a thousand times", `\\def\\a{${"x".repeat(4_000)}}${"\\a".repeat(900)}`],
    ["with one that doubles what it is given", "\\newcommand{\\a}[1]{\\b{#1#1}}\\newcommand{\\b}[1]{\\a{#1#1}}\\a{x}"],
    ["with another name for what defines", "\\let\\d\\def\\d\\a{x}\\a"],
    ["with a global one", "\\global\\def\\a{x}\\a"],
    ["nested too deeply", "{".repeat(5_000) + "}".repeat(5_000)],
    ["of too many symbols", "\u00e9".repeat(9_000)],
  ])("%s is not drawn", (_, source) => {
    expect(renderFormula(source, true)).toBeNull();
  });
});
