import { type CodeLine, highlight, type Highlighted } from "./highlight";
import type { HighlightAnswer, HighlightJob } from "./highlighter";

/** Texts whose colours are kept, so that what is added to them costs no more than that. */
const kMaxKept = 16;
const kept = new Map<number, Highlighted>();

function keep(text: number, coloured: Highlighted): void {
  kept.delete(text);
  kept.set(text, coloured);
  if (kept.size > kMaxKept) {
    kept.delete(kept.keys().next().value!);
  }
}

/** How many lines at the beginning of `lines` are those of before. */
function sameCount(lines: Highlighted["lines"], before: Highlighted | undefined): number {
  const count = lines.findIndex((line, index) => line !== before?.lines[index]);
  return count === -1 ? lines.length : count;
}

/** Of a word only what is shown. */
const sent = ({ content, color, fontStyle }: CodeLine[number]): CodeLine[number] => ({
  content,
  ...(color === undefined ? {} : { color }),
  ...(fontStyle === undefined ? {} : { fontStyle }),
});

/** Colours a text; what was asked before of the same one is not coloured again. */
export async function runHighlightJob(
  { job, text, isNew, content, language, theme }: HighlightJob,
  answer: (message: HighlightAnswer) => void,
): Promise<void> {
  const before = isNew ? undefined : kept.get(text);
  try {
    const coloured = await highlight(content, language, theme, before, () => answer({ job, kind: "begun" }));
    if (coloured === null) {
      answer({ job, kind: "unknown" });
      return;
    }
    keep(text, coloured);
    const same = sameCount(coloured.lines, before);
    const lines = coloured.lines.slice(same).map((line) => line.map(sent));
    answer({ job, kind: "done", same, lines });
  } catch (failure) {
    answer({ job, kind: "failed", message: String(failure) });
  }
}
