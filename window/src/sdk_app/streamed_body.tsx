import { type ReactNode, useMemo, useRef } from "react";

import type { GrowingText } from "@/lib/growing_text";
import { growBlocks, type StreamedBlocks, streamedContents } from "./markdown_blocks";
import { Blocks } from "./markdown_body";

export interface StreamedBodyProps {
  text: GrowingText;
  /** How many pieces of it are shown. */
  count: number;
  replace?: ((block: string) => ReactNode) | undefined;
}

/** As the formatted text, while it is being written: of what was there before, only the last block is parsed again. */
export default function StreamedBody({ text, count, replace }: StreamedBodyProps) {
  const last = useRef<StreamedBlocks>(undefined);
  // What was split before only saves work: the result is the same without it.
  const blocks = useMemo(() => {
    void count;
    return streamedContents((last.current = growBlocks(text, last.current)));
  }, [text, count]);
  return <Blocks blocks={blocks} replace={replace} />;
}
