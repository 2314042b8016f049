import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import type { GrowingText } from "@/lib/growing_text";
import { growBlocks, type StreamedBlocks, streamedContents } from "./markdown_blocks";
import { Blocks } from "./markdown_body";

export interface StreamedBodyProps {
  text: GrowingText;
  /** How many pieces of it are shown. */
  count: number;
  replace?: ((block: string) => ReactNode) | undefined;
}

/** A last block of up to so many characters is parsed again with each piece. */
const kAtOnce = 8_000;
const kMsPerCharacter = 1 / 80;

/** How long pieces are gathered before the last block is parsed again: with each of them a long one would keep the window busy. */
function pauseOf(last: StreamedBlocks | undefined, text: GrowingText): number {
  const length = last?.source === text ? last.open.text.length : 0;
  return length <= kAtOnce ? 0 : length * kMsPerCharacter;
}

/** As the formatted text, while it is being written: of what was there before, only the last block is parsed again. */
export default function StreamedBody({ text, count, replace }: StreamedBodyProps) {
  const last = useRef<StreamedBlocks>(undefined);
  const [turn, setTurn] = useState(0);
  const pauseMs = pauseOf(last.current, text);
  const wanted = pauseMs === 0 ? count : undefined;
  // What was split before only saves work: the result is the same without it.
  const blocks = useMemo(() => {
    void [wanted, turn];
    return (last.current = growBlocks(text, last.current));
  }, [text, wanted, turn]);
  const isBehind = blocks.count < count;
  useEffect(() => {
    if (isBehind) {
      const timer = setTimeout(() => setTurn((before) => before + 1), pauseMs);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [isBehind, turn, pauseMs]);
  const contents = useMemo(() => streamedContents(blocks), [blocks]);
  return <Blocks blocks={contents} replace={replace} />;
}
