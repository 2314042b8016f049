import { useState } from "react";

import { GrowingText } from "@/lib/growing_text";
import { formatBytes } from "@/lib/format";
import { Button } from "@/ui/button";

/** Characters of an output that are drawn before somebody asks for all of it: its end is what counts. */
const kShown = 12_000;

/** What terminals draw and texts cannot: colours, moves of the cursor, titles. */
const kEscapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** An output as text: without escapes, and a line that was written over shows what it became. */
export function plainOutput(output: string): string {
  return output
    .replace(kEscapes, "")
    .replace(/\r\n/g, "\n")
    .replace(/^.*\r(?!$)/gm, "");
}

/** What a command or a tool wrote. */
export function Output({ text, label }: { text: GrowingText | string; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const whole = typeof text === "string" ? new GrowingText(text) : text;
  if (whole.length === 0) {
    return <p className="text-sm text-subtle-foreground">No output.</p>;
  }
  const shown = plainOutput(isWhole ? String(whole) : whole.tail(kShown));
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      {!isWhole && whole.length > kShown && (
        <Button size="sm" variant="ghost" onClick={() => setWhole(true)}>
          Show all {formatBytes(whole.length)}
        </Button>
      )}
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-80 w-full min-w-0 overflow-auto rounded-md border border-border bg-surface-recessed-solid px-3 py-2 font-mono text-xs/5 wrap-anywhere whitespace-pre-wrap"
      >
        {shown}
      </pre>
    </div>
  );
}
