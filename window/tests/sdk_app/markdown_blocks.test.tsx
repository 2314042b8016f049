import { render } from "@testing-library/react";
import ReactMarkdown from "react-markdown";
import rehypeRaw from "rehype-raw";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { beforeAll, describe, expect, it } from "vitest";

import { type Highlighted, highlight } from "@/sdk_app/highlight";
import { blockContents, type MarkdownBlocks, splitMarkdown } from "@/sdk_app/markdown_blocks";

const kTexts: Record<string, string> = {
  "paragraphs and headings": "# One\ntext\ntext\n\nTwo\n===\n\npara\n#\n#hash\n\n  indented start\n\n---\n\n***\nend",
  "lists, loose and tight":
    "- a\n- b\n\n- c\n\n  para of c\n\n      code of c\n\n1. x\n2. y\n\n3. z\ntext\n* other\n+ third\n\n- [x] done\n- [ ] not",
  "code, fenced and indented":
    "text\n```ts\nconst a = 1;\n\n# no heading\n```\n~~~\n```\n\n~~~\n    code\n\n    more\n\nend\n```unclosed\n\n- a\n\nb",
  "a fence in a list that ends early": "- item\n  ```js\n  code\n\nouter\n\n```js\nreal\n\n# no heading\n```\n\nend",
  "tables, quotes and formulas":
    "a | b\n--|--\n1 | 2\n\n> q\n> > deep\nlazy\n\n> another\n\n$$\nx\n\ny\n$$\n\n$a$ costs\n\n| x |\n|---|\n| 1 |\nend",
  "html that encloses what follows":
    "first\n\n<details>\n<summary>S</summary>\n\n**inside**\n\n</details>\n\nafter\n\n<!-- a\n\ncomment -->\n\nend",
  "inline html": "a <b>bold</b> c\n\nd <kbd>e</kbd>\n\nf",
  "references and notes": "A [link][x] and a note[^1].\n\nMore.\n\n[x]: https://example.org\n\n[^1]: The note.\n\nEnd [x].",
  "references in quotes": "A [x]\n\n> [x]: https://example.org\n\nend",
  "carriage returns and blanks": "a\r\n\r\nb\r\n\r\n\r\n- c\r\n\n\n   \n\nd\n\n",
  "nothing but blanks": "\n\n  \n",
};

const options = { remarkPlugins: [remarkGfm, remarkMath], rehypePlugins: [rehypeRaw] };
const htmlOf = (blocks: readonly string[]) => {
  const { container, unmount } = render(
    <>
      {blocks.map((block, index) => (
        <ReactMarkdown key={index} {...options}>
          {block}
        </ReactMarkdown>
      ))}
    </>,
  );
  const html = container.innerHTML.replace(/>\s+</g, "><").trim();
  unmount();
  return html;
};

describe.each(Object.entries(kTexts))("blocks of %s", (_, text) => {
  it("look like the whole text", () => {
    const split = splitMarkdown(text);
    expect(split.blocks.join("")).toBe(text);
    expect(htmlOf(blockContents(split))).toBe(htmlOf([text]));
  });

  it.each([1, 3, 7])("are the same when the text arrives %i characters at a time", (step) => {
    let grown: MarkdownBlocks | undefined;
    for (let end = step; end < text.length + step; end += step) {
      const now = text.slice(0, end);
      grown = splitMarkdown(now, grown);
      expect(grown.blocks).toEqual(splitMarkdown(now).isWhole || grown.isWhole ? [now] : splitMarkdown(now).blocks);
    }
  });
});

describe("a text that grows", () => {
  it("keeps its finished blocks", () => {
    const before = splitMarkdown("# A\n\nfirst\n\nsecond\n\nthi");
    const after = splitMarkdown(`${before.text}rd\n\nfourth`, before);
    expect(before.blocks).toHaveLength(4);
    expect(after.blocks.slice(0, 3)).toEqual(before.blocks.slice(0, 3));
    expect(after.blocks.slice(3)).toEqual(["third\n\n", "fourth"]);
  });

  it("is split anew when it is another text", () => {
    expect(splitMarkdown("x\n\ny", splitMarkdown("a\n\nb\n\nc")).blocks).toEqual(["x\n\n", "y"]);
  });
});

describe("code that grows", () => {
  const kCode = "/* a\n * comment\n */\nconst a = `one\n${two}\n`;\n\nfunction f() {\n  return a;\n}\n";
  const theme = { name: "github-light-default", mode: "light" } as const;
  beforeAll(() => highlight("x", "ts", theme), 60_000);

  it.each([1, 5, 17])("has the colours of the whole, %i characters at a time", async (step) => {
    let grown: Highlighted | undefined;
    for (let end = step; end < kCode.length + step; end += step) {
      const now = kCode.slice(0, end);
      grown = (await highlight(now, "ts", theme, grown))!;
      expect(grown.lines.map((line) => line.map(({ content }) => content).join(""))).toEqual(now.split("\n"));
    }
    const plain = (lines: Highlighted["lines"]) => lines.map((line) => line.map(({ content, color }) => [content, color]));
    expect(plain(grown!.lines)).toEqual(plain((await highlight(kCode, "ts", theme))!.lines));
  });

  it("keeps the lines that are complete", async () => {
    const before = (await highlight("const a = 1;\nconst b", "ts", theme))!;
    const after = (await highlight("const a = 1;\nconst b = 2;\n", "ts", theme, before))!;
    expect(after.lines[0]).toBe(before.lines[0]);
  });

  it("is coloured anew in another theme", async () => {
    const before = (await highlight("const a = 1;\n", "ts", theme))!;
    const after = (await highlight("const a = 1;\n", "ts", { name: "github-dark-default", mode: "dark" }, before))!;
    expect(after.lines[0]![0]!.color).not.toBe(before.lines[0]![0]!.color);
  });
});
