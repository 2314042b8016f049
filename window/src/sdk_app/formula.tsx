import { useEffect, useState } from "react";

import { hiddenParts } from "@/lib/shown_text";

/** Characters up to which a formula is drawn. */
const kMaxLength = 10_000;
/** How long formulas are drawn before the window answers in between. */
const kSliceMs = 30;

let turn: Promise<void> = Promise.resolve();
let sliceEnd = 0;

/** Runs the work when that of all before it is done. */
function inTurn(work: () => void): void {
  turn = turn.then(async () => {
    if (performance.now() >= sliceEnd) {
      await new Promise((resolve) => setTimeout(resolve));
      sliceEnd = performance.now() + kSliceMs;
    }
    work();
  });
}

export interface FormulaProps {
  /** TeX. */
  source: string;
  isDisplay: boolean;
}

/** A formula; its source until what draws it is there, and where that fails. */
export function Formula({ source, isDisplay }: FormulaProps) {
  const [drawn, setDrawn] = useState<{ source: string; html: string }>();
  useEffect(() => {
    if (source.length > kMaxLength || hiddenParts(source) !== null) {
      return;
    }
    let isCurrent = true;
    void import("./katex_render").then(
      ({ renderFormula }) => {
        inTurn(() => {
          const html = isCurrent ? renderFormula(source, isDisplay) : null;
          if (html !== null) {
            setDrawn({ source, html });
          }
        });
      },
      (failure: unknown) => console.error("a formula is shown as it is written", failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [source, isDisplay]);
  const Tag = isDisplay ? "div" : "span";
  const look = isDisplay ? "block overflow-x-auto overflow-y-hidden py-1" : "";
  return drawn?.source === source ? (
    // The library escapes what it was given; its markup is the only one that reaches the page unsanitised.
    <Tag className={look} dangerouslySetInnerHTML={{ __html: drawn.html }} />
  ) : (
    <Tag className={`${look} font-mono text-[0.875em]`}>{source}</Tag>
  );
}
