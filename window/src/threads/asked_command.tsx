import { Fragment, useState } from "react";

import { counted } from "@/lib/format";
import { Button } from "@/ui/button";
import { cn } from "@/ui/cn";

/** Blank lines from which on their number stands for them: more would push what follows out of sight. */
const kBlankLines = 3;
/** What the box surely shows without scrolling, also on a phone. */
const kRows = 8;
const kColumns = 36;

const rowsOf = (line: string): number => Math.max(1, Math.ceil(line.length / kColumns));

interface Piece {
  text: string;
  /** Of a run that is long enough to be told by its number. */
  blankLines: number;
}

/** The command in pieces that are it together. */
export function commandPieces(command: string): Piece[] {
  const lines = command.split("\n");
  const pieces: Piece[] = [];
  const add = (from: number, end: number, blankLines: number) => {
    // The break before a piece belongs to the run of blank lines, which is drawn as a line of its own.
    const isAfterRun = (pieces.at(-1)?.blankLines ?? 0) > 0;
    const text = lines.slice(from, end).join("\n");
    const before = from === 0 || isAfterRun ? "" : "\n";
    const after = blankLines > 0 && end < lines.length ? "\n" : "";
    pieces.push({ text: `${before}${text}${after}`, blankLines });
  };
  let from = 0;
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && lines[end]!.trim() === "") {
      ++end;
    }
    if (end - at < kBlankLines) {
      at = Math.max(end, at + 1);
      continue;
    }
    if (at > from) {
      add(from, at, 0);
    }
    add(at, end, end - at);
    from = at = end;
  }
  if (from < lines.length) {
    add(from, lines.length, 0);
  }
  return pieces;
}

/** A run of blank lines is a note; the lines themselves are there for whoever copies the command. */
const pieceView = ({ text, blankLines }: Piece, index: number) =>
  blankLines === 0 ? (
    <Fragment key={index}>{text}</Fragment>
  ) : (
    <Fragment key={index}>
      <span className="block text-warning-text select-none">… {blankLines} blank lines …</span>
      <span className="block h-0 overflow-hidden">{text}</span>
    </Fragment>
  );

export interface AskedCommandProps {
  command: string;
  cwd: string | null;
}

/** The command that an agent asks to run. Nothing of it is out of sight without a word about it. */
export function AskedCommand({ command, cwd }: AskedCommandProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = command.split("\n");
  const isLong = lines.reduce((rows, line) => rows + rowsOf(line), 0) > kRows;
  const size = lines.length > 1 ? counted(lines.length, "line") : counted(command.length, "character");
  return (
    <div className="flex flex-col items-start gap-1">
      <pre
        tabIndex={0}
        className={cn(
          "w-full overflow-y-auto rounded-md border border-border bg-surface-recessed-solid px-3 py-2 font-mono text-xs/5 wrap-anywhere whitespace-pre-wrap",
          !(isLong && isWhole) && "max-h-48",
        )}
      >
        {commandPieces(command).map(pieceView)}
        {cwd !== null && <span className="block text-muted-foreground">in {cwd}</span>}
      </pre>
      {isLong && (
        <div className="flex flex-wrap items-center gap-2 text-xs text-warning-text">
          <span>The command has {size}.</span>
          {!isWhole && (
            <Button size="sm" variant="ghost" onClick={() => setWhole(true)}>
              Show all of it
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
