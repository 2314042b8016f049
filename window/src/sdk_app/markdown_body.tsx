import { useId, useMemo } from "react";
import ReactMarkdown, { type Options } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";

import { markdownComponents } from "./markdown_elements";

type Plugins = NonNullable<Options["rehypePlugins"]>;

/** Only what Markdown itself writes and harmless HTML passes; `id`s get a prefix so that a text cannot pose as the window. */
function sanitizeSchema(clobberPrefix: string): typeof defaultSchema {
  const { attributes } = defaultSchema;
  return {
    ...defaultSchema,
    clobberPrefix,
    attributes: {
      ...attributes,
      // The parser marks languages and formulas with classes.
      code: [["className", /^language-./, "math-inline", "math-display"]],
    },
  };
}

export interface MarkdownBodyProps {
  content: string;
}

/** The formatted text. A chunk of its own: parsers are large, and most pages show none. */
export default function MarkdownBody({ content }: MarkdownBodyProps) {
  // Several texts on one page may have footnotes of the same name.
  const prefix = `md${useId().replace(/[^a-zA-Z0-9]/g, "")}-`;
  const rehypePlugins = useMemo<Plugins>(() => [rehypeRaw, [rehypeSanitize, sanitizeSchema(prefix)]], [prefix]);
  const components = useMemo(() => markdownComponents(prefix), [prefix]);
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, [remarkMath, { singleDollarTextMath: true }]]}
      remarkRehypeOptions={{ allowDangerousHtml: true, clobberPrefix: "" }}
      rehypePlugins={rehypePlugins}
      components={components}
    >
      {content}
    </ReactMarkdown>
  );
}
