import { useMemo } from "react";

import type { SourceCodeProps } from "#sdk/app/components.js";
import type { PluginSourceCodeRendererProps } from "#sdk/app/slots/exclusive.js";

import { ExclusiveSlot } from "@/plugins/exclusive";
import { HighlightedCode } from "./code_block";
import { languageOfPath } from "./languages";

type RendererProps = Omit<PluginSourceCodeRendererProps, "Original" | "experimental_Original">;

/** The window's own view of a file's content. */
function BuiltinSourceCode({ content, path, overflow, highlightedLines }: RendererProps) {
  return (
    <HighlightedCode
      // The end of the last line is no line.
      content={content.replace(/\r?\n$/, "")}
      language={languageOfPath(path)}
      overflow={overflow}
      highlightedLines={highlightedLines}
      showLineNumbers
      className="min-h-fit rounded-md border border-border bg-surface-recessed-solid py-2"
    />
  );
}

/** Source code, as the window or a plugin shows it. */
export function SourceCode({ content, path, highlightedLines }: SourceCodeProps) {
  const props = useMemo<RendererProps>(
    () => ({ content, path: path ?? null, overflow: "scroll", highlightedLines: highlightedLines ?? null }),
    [content, path, highlightedLines],
  );
  return <ExclusiveSlot kind="sourceCodeRenderers" props={props} original={BuiltinSourceCode} />;
}
