import { createElement, Fragment, memo, type ReactNode, useId, useMemo, useRef } from "react";
import ReactMarkdown, { type Options } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";

import { blockContents, kRemarkPlugins, type MarkdownBlocks, splitMarkdown } from "./markdown_blocks";
import { markdownComponents } from "./markdown_elements";
import { showHiddenCharacters } from "./markdown_hidden_characters";
import { rehypeHtmlLimits, rehypeTreeLimits } from "./markdown_limits";
import { useShownCount } from "./shown_blocks";

type Plugins = NonNullable<Options["rehypePlugins"]>;

/** Elements that would fetch from anywhere without asking; an `img` among them is shown by the window's own component. */
const kFetching = new Set(["picture", "source"]);

/** Only what Markdown itself writes and harmless HTML passes; `id`s get a prefix so that a text cannot pose as the window. */
function sanitizeSchema(clobberPrefix: string): typeof defaultSchema {
  const { attributes, tagNames } = defaultSchema;
  return {
    ...defaultSchema,
    clobberPrefix,
    tagNames: tagNames?.filter((name) => !kFetching.has(name)) ?? [],
    attributes: {
      ...attributes,
      // The parser marks languages and formulas with classes.
      code: [["className", /^language-./, "math-inline", "math-display"]],
    },
  };
}

const kRemark = [...kRemarkPlugins] as unknown as Plugins;
const kToHtml = { allowDangerousHtml: true, clobberPrefix: "" };

type BlockProps = Pick<Options, "components" | "rehypePlugins"> & { content: string };

// While a text is being written, all of its blocks but the last stay as they are.
const Block = memo(function Block({ content, ...options }: BlockProps) {
  // The parser takes its text as it was written: no JSX, which would show the hidden characters before they are read.
  return createElement(ReactMarkdown, { remarkPlugins: kRemark, remarkRehypeOptions: kToHtml, ...options, children: content });
});

export interface BlocksProps {
  blocks: readonly string[];
  /** What is shown in place of a block; null for those that are shown as they are. */
  replace?: ((block: string) => ReactNode) | undefined;
}

/** Blocks of one text, formatted. */
export function Blocks({ blocks, replace }: BlocksProps) {
  // Several texts on one page may have footnotes of the same name.
  const prefix = `md${useId().replace(/[^a-zA-Z0-9]/g, "")}-`;
  const rehypePlugins = useMemo<Plugins>(
    () => [rehypeHtmlLimits, rehypeRaw, [rehypeSanitize, sanitizeSchema(prefix)], rehypeTreeLimits, showHiddenCharacters],
    [prefix],
  );
  const components = useMemo(() => markdownComponents(prefix), [prefix]);
  return blocks.slice(0, useShownCount(blocks)).map((block, index) => {
    const other = replace?.(block) ?? null;
    return other === null ? (
      <Block key={index} content={block} components={components} rehypePlugins={rehypePlugins} />
    ) : (
      <Fragment key={index}>{other}</Fragment>
    );
  });
}

export interface MarkdownBodyProps {
  content: string;
}

/** The formatted text. A chunk of its own: parsers are large, and most pages show none. */
export default function MarkdownBody({ content }: MarkdownBodyProps) {
  return <Blocks blocks={useBlocks(content)} />;
}

function useBlocks(content: string): readonly string[] {
  const last = useRef<MarkdownBlocks>(undefined);
  // What was split before only saves work: the result is the same without it.
  return useMemo(() => blockContents((last.current = splitMarkdown(content, last.current))), [content]);
}
