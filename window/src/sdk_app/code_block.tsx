import { type CSSProperties, memo, useEffect, useState } from "react";

import { CopyButton } from "@/ui/copy_button";
import { useCodeTheme } from "@/lib/theme";
import { cn } from "@/ui/cn";
import { TooltipProvider } from "@/ui/tooltip";
import type { CodeLine } from "./highlight";
import { nextText, sharedHighlighter } from "./highlighter";

/** Characters up to which code is coloured: more would hold up the window. */
const kMaxHighlighted = 100_000;
/** Bits of shiki's `fontStyle`. */
const kItalic = 1;
const kBold = 2;
const kUnderline = 4;

export interface LineRange {
  /** Counts from 1. */
  start: number;
  /** Included. */
  end: number;
}

/** Coloured lines; undefined while they are on their way and where there are none. */
function useHighlighted(content: string, language: string | undefined): readonly CodeLine[] | undefined {
  const { name, mode } = useCodeTheme();
  const [text] = useState(nextText);
  const [result, setResult] = useState<{ language: string; content: string; lines: readonly CodeLine[] }>();
  useEffect(() => {
    if (language === undefined || content.length > kMaxHighlighted) {
      return;
    }
    // Also of a text that has grown meanwhile: what follows has no colours yet.
    void sharedHighlighter()
      ?.colour(text, content, language, { name, mode })
      .then((lines) => {
        if (lines !== null) {
          setResult({ language, content, lines });
        }
      });
  }, [text, content, language, name, mode]);
  useEffect(() => () => sharedHighlighter()?.forget(text), [text]);
  // The lines of before stay until the theme's are there and while the text grows, but never those of another text.
  const isKept = result !== undefined && result.language === language && content.startsWith(result.content);
  return isKept ? result.lines : undefined;
}

function styleOf({ color, fontStyle = 0 }: CodeLine[number]): CSSProperties {
  return {
    ...(color === undefined ? {} : { color }),
    ...(fontStyle & kItalic ? { fontStyle: "italic" } : {}),
    ...(fontStyle & kBold ? { fontWeight: "bold" } : {}),
    ...(fontStyle & kUnderline ? { textDecoration: "underline" } : {}),
  };
}

/** What was added to a line since it was coloured has no colour yet. */
function LineContent({ line, plain }: { line: CodeLine | undefined; plain: string }) {
  if (line === undefined) {
    // An element, not a string: elements show hidden characters.
    return <>{plain}</>;
  }
  const length = line.reduce((sum, { content }) => sum + content.length, 0);
  return (
    <>
      {line.map((token, index) => (
        <span key={index} style={styleOf(token)}>
          {token.content}
        </span>
      ))}
      {plain.slice(length)}
    </>
  );
}

export interface HighlightedCodeProps {
  content: string;
  language: string | undefined;
  overflow?: "scroll" | "wrap";
  showLineNumbers?: boolean;
  highlightedLines?: LineRange | null;
  className?: string;
}

/** Code line by line; the colours come later and move nothing. */
export const HighlightedCode = memo(function HighlightedCode({
  content,
  language,
  overflow = "scroll",
  showLineNumbers = false,
  highlightedLines = null,
  className,
}: HighlightedCodeProps) {
  const lines = useHighlighted(content, language);
  const isMarked = (index: number) => highlightedLines !== null && index + 1 >= highlightedLines.start && index + 1 <= highlightedLines.end;
  return (
    <pre
      tabIndex={0}
      className={cn(
        "base:overflow-x-auto base:font-mono base:text-sm/5",
        overflow === "wrap" && "wrap-anywhere whitespace-pre-wrap",
        className,
      )}
    >
      <code className="block min-w-fit">
        {content.split("\n").map((plain, index) => (
          <span key={index} data-line={index + 1} className={cn("block px-3", isMarked(index) && "bg-surface-selected")}>
            {showLineNumbers && (
              <span aria-hidden className="mr-4 inline-block min-w-6 text-right text-subtle-foreground select-none">
                {index + 1}
              </span>
            )}
            <LineContent line={lines?.[index]} plain={plain} />
            {"\n"}
          </span>
        ))}
      </code>
    </pre>
  );
});

/** Code in a frame, with its language and a button that copies it. */
export function CodeBlock({ content, language }: { content: string; language: string | undefined }) {
  return (
    <figure className="m-0 overflow-hidden rounded-md border border-border bg-surface-recessed-solid">
      <figcaption className="flex h-8 items-center justify-between pr-1 pl-3 text-xs text-muted-foreground select-none">
        <span>{language ?? "Text"}</span>
        {/* Texts are shown everywhere, also where no page is around them. */}
        <TooltipProvider>
          <CopyButton text={content} label="Copy code" />
        </TooltipProvider>
      </figcaption>
      <HighlightedCode content={content} language={language} className="pb-2" />
    </figure>
  );
}
