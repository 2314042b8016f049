import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import remarkParse from "remark-parse";
import { unified } from "unified";

import type { GrowingText } from "@/lib/growing_text";
import { checkCount, checkLines, checkTree, remarkLimits } from "./markdown_limits";

/** The dialect of texts in the window. */
export const kRemarkPlugins = [remarkGfm, [remarkMath, { singleDollarTextMath: true }], remarkLimits] as const;

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkMath, { singleDollarTextMath: true }).use(remarkLimits);

/** A text in pieces that can be parsed one by one. Joined they are the text. */
export interface MarkdownBlocks {
  readonly text: string;
  readonly blocks: readonly string[];
  /** What stands at the end of a text counts for all of it: references are looked up everywhere. */
  readonly isWhole: boolean;
}

interface Node {
  readonly type: string;
  readonly position?: { readonly start: { readonly offset?: number } };
  readonly children?: readonly Node[];
}

const kNothing: MarkdownBlocks = { text: "", blocks: [], isWhole: false };

const defines = ({ type, children }: Node): boolean =>
  type === "definition" || type === "footnoteDefinition" || (children?.some(defines) ?? false);

/** What a text is made of. Throws `TooMuchMarkup` for one that cannot be formatted in a bounded time. */
function parsed(text: string): readonly Node[] {
  checkLines(text);
  const root = parser.parse(text);
  checkTree(root);
  return root.children as readonly Node[];
}

/** Where the blocks of a text begin. HTML may enclose what follows it, so that it reaches to the end. */
function blockStarts(text: string, nodes: readonly Node[]): number[] {
  const firstHtml = nodes.findIndex(({ type }) => type === "html");
  const separate = firstHtml === -1 ? nodes : nodes.slice(0, firstHtml + 1);
  // Indentation in front of a block belongs to it, and what stands in front of the first one too.
  return separate.map(({ position }, index) => (index === 0 ? 0 : text.lastIndexOf("\n", (position?.start.offset ?? 0) - 1) + 1));
}

function piecesAt(text: string, starts: readonly number[]): string[] {
  return starts.map((start, index) => text.slice(start, starts[index + 1] ?? text.length));
}

/** What is parsed of each block: the blank lines between two belong to neither. */
export function blockContents({ blocks }: MarkdownBlocks): string[] {
  return blocks.map((block, index) => (index < blocks.length - 1 ? block.trimEnd() : block));
}

/** How much of `before` stays as it is when text is added: all but the block that holds the end of the last complete line. */
function settledCount({ text, blocks }: MarkdownBlocks): number {
  let start = text.length;
  let count = blocks.length;
  const lastLine = text.lastIndexOf("\n") + 1;
  while (count > 0) {
    count -= 1;
    start -= blocks[count]!.length;
    if (start < lastLine) {
      break;
    }
  }
  return count;
}

/**
 * Splits a text into its top-level blocks. What is added at the end of a text that was split `before` costs the parsing of its last block
 * only, and the blocks before it stay the same strings. Throws `TooMuchMarkup` for a text that cannot be formatted in a bounded time.
 */
export function splitMarkdown(text: string, before: MarkdownBlocks = kNothing): MarkdownBlocks {
  if (text === before.text) {
    return before;
  }
  const isLonger = text.startsWith(before.text);
  if (isLonger && before.isWhole) {
    return { text, blocks: [text], isWhole: true };
  }
  const settled = isLonger ? before.blocks.slice(0, settledCount(before)) : [];
  const rest = text.slice(settled.reduce((sum, { length }) => sum + length, 0));
  const nodes = parsed(rest);
  checkCount(settled.length + nodes.length);
  if (nodes.some(defines)) {
    return { text, blocks: [text], isWhole: true };
  }
  return { text, blocks: [...settled, ...(nodes.length === 0 ? [rest] : piecesAt(rest, blockStarts(rest, nodes)))], isWhole: false };
}

/** A text that is still being written, in blocks. */
export interface StreamedBlocks {
  readonly source: GrowingText;
  /** How many pieces of the source are in it. */
  readonly count: number;
  /** Blocks that nothing which follows can change. */
  readonly settled: readonly string[];
  /** What is parsed again with the next piece. */
  readonly open: MarkdownBlocks;
}

/** Takes in the pieces that the text has got since `before`: what is parsed are those and the last block. */
export function growBlocks(source: GrowingText, before?: StreamedBlocks): StreamedBlocks {
  const known = before?.source === source ? before : { source, count: 0, settled: [], open: kNothing };
  if (known.count === source.count) {
    return known;
  }
  const open = splitMarkdown(known.open.text + source.since(known.count), known.open);
  if (open.isWhole) {
    // A definition counts for the blocks before it too.
    const text = known.settled.join("") + open.text;
    return { source, count: source.count, settled: [], open: { text, blocks: [text], isWhole: true } };
  }
  const done = settledCount(open);
  const blocks = open.blocks.slice(done);
  checkCount(known.settled.length + open.blocks.length);
  const settled = done === 0 ? known.settled : [...known.settled, ...open.blocks.slice(0, done)];
  return { source, count: source.count, settled, open: { text: blocks.join(""), blocks, isWhole: false } };
}

/** What is parsed of each block, and what stays the same string keeps its place in the list. */
export function streamedContents({ settled, open }: StreamedBlocks): string[] {
  return blockContents({ ...open, blocks: [...settled, ...open.blocks] });
}
