import { useEffect, useState } from "react";

/** What is drawn in one go: the window answers in between. */
const kStepBlocks = 50;
const kStepLength = 20_000;

/** How many blocks are drawn when those of the next step are added to the first `from`. */
export function nextCount(blocks: readonly string[], from: number): number {
  let count = from;
  for (let length = 0; count < blocks.length && count - from < kStepBlocks && length < kStepLength; count += 1) {
    length += blocks[count]!.length;
  }
  return count;
}

/** How many blocks are drawn now: a long text is drawn from its beginning to its end, what grows at its end at once. */
export function useShownCount(blocks: readonly string[]): number {
  const [drawn, setDrawn] = useState(0);
  const count = nextCount(blocks, Math.min(drawn, blocks.length));
  useEffect(() => {
    if (count === drawn) {
      return;
    }
    if (count === blocks.length) {
      setDrawn(count);
      return;
    }
    const timer = setTimeout(() => setDrawn(count));
    return () => clearTimeout(timer);
  }, [blocks, count, drawn]);
  return count;
}
