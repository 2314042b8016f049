import { useEffect, useState } from "react";

import { hiddenParts } from "@/lib/shown_text";

/** Characters up to which a formula is drawn. */
const kMaxLength = 10_000;

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
        if (isCurrent) {
          setDrawn({ source, html: renderFormula(source, isDisplay) });
        }
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
