import { cleanup, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { GrowingText } from "@/lib/growing_text";
import { Markdown } from "@/sdk_app/markdown";
import { splitMarkdown } from "@/sdk_app/markdown_blocks";
import { nextCount } from "@/sdk_app/shown_blocks";
import { StreamedMarkdown } from "@/sdk_app/streamed_markdown";
import { TooMuchMarkup } from "@/sdk_app/too_much_markup";

vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => {
  await Promise.all([import("@/sdk_app/markdown_body"), import("@/sdk_app/streamed_body")]);
}, 60_000);
afterEach(cleanup);

const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** Shapes for which parsers take the square of their length, or more. */
const kHostile: Record<string, string> = {
  "quotes in quotes": `${"> ".repeat(100_000)}x`,
  "quotes without blanks": `${">".repeat(100_000)}x`,
  "lists on one line": `${"- ".repeat(50_000)}x`,
  "numbered lists on one line": `${"1. ".repeat(50_000)}x`,
  "lists in lists": lines(600, (level) => `${"  ".repeat(level)}- x`),
  "deep quotes on many lines": `${"> ".repeat(90)}x\n\n`.repeat(2_220),
  "notes in notes": lines(400, (level) => `${"    ".repeat(level)}[^${level}]: x`),
  "emphasis that ends nowhere": "*a_ ".repeat(20_000),
  "brackets in brackets": `${"[".repeat(100_000)}x${"](a)".repeat(75_000)}`,
  "stars around a word": `${"*".repeat(20_000)}a${"*".repeat(20_000)}`,
  "emphasis in emphasis": `${"**a ".repeat(5_000)}${"**".repeat(5_000)}`,
  "HTML that ends nowhere": "a<?".repeat(50_000),
  "code of many lengths": lines(400, (index) => `a${"`".repeat(index + 1)}`),
  "underlined headings": "a\n=\n".repeat(50_000),
  "paragraphs of a letter": "a\n\n".repeat(100_000),
  "a list of letters": "- a\n".repeat(90_000),
  "formulas of a book": "$$\nx^2\n$$\n\n".repeat(7_000) + `$$\n${"y".repeat(80_000)}\n$$`,
  "references to a long address": `${"[a] ".repeat(20_000)}\n\n[a]: https://example.org/${"x".repeat(100_000)}`,
};
/** These are seen once the blocks are drawn. */
const kHostileHtml: Record<string, string> = {
  "elements in elements": "<div>".repeat(500),
  "styles that begin anew in each paragraph": lines(100, (index) => `<b title="</b>${index}">\n\nx\n`),
  "styles whose ends are none": "<div></div>\n\n" + lines(100, (index) => `<b title="${index}"><style></b></style>\n\nx\n`),
};

describe.each(Object.entries(kHostile))("%s", (_, text) => {
  it("are not formatted", () => expect(() => splitMarkdown(text)).toThrow(TooMuchMarkup));
});

describe.each(
  Object.entries({ ...kHostileHtml, quotes: kHostile["quotes in quotes"]!, emphasis: kHostile["emphasis that ends nowhere"]! }),
)("a text of %s", (_, text) => {
  it("is shown as it was written, with the reason", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const { container } = render(<Markdown content={text} />);
    expect((await screen.findByRole("note", {}, { timeout: 10_000 })).textContent).toMatch(/^This text is shown as it was written: .+\.$/);
    expect(container.querySelector("p:not([role])")!.textContent).toBe(text);
    expect(container.querySelectorAll("*").length).toBeLessThan(10);
  });
});

const kUsual: Record<string, string> = {
  "a changelog of 400 versions": lines(
    1_000,
    (index) =>
      `## [1.${index}.0]\n\n- **Fixed** a \`thing\` of [this](https://example.org/a_b_${index})\n- Other\n  - deeper *one*\n\n${"Some words of it. ".repeat(5)}\n`,
  ),
  "a table of 2,000 rows": `| a | b |\n|---|---|\n${lines(2_000, (index) => `| \`${index}\` | *x_${index}* |`)}`,
  "code of 100 KB": `\`\`\`c\n${lines(2_000, (index) => `${" ".repeat(index % 200)}int **a_${index}[2] = {*b, <c>}; // > > >`)}\n\`\`\``,
  "thanks to many people": lines(300, (index) => `[@user_${index}](https://example.org/user_${index}),`),
  "lists of ten levels": lines(2_000, (index) => `${"  ".repeat(index % 10)}- x`),
  "rows of pictures in HTML": `<table>${lines(200, () => '<tr><td align="center"><a href="https://a.example"><img src="a.png"><br><sub><b>Ada</b></sub></a></td></tr>')}</table>`,
};

describe.each(Object.entries(kUsual))("%s", (_, text) => {
  it("is formatted", async () => {
    expect(splitMarkdown(text).blocks.join("")).toBe(text);
    render(<Markdown content={`${text.slice(0, 20_000)}\n`} />);
    await waitFor(() => expect(document.querySelector("h3, td, pre, a, li")).not.toBeNull(), { timeout: 10_000 });
    expect(screen.queryByRole("note")).toBeNull();
  });
});

describe("a long text", () => {
  it("is drawn in steps, to its end", async () => {
    const { container } = render(<Markdown content={lines(120, (index) => `p${index}\n`)} />);
    await waitFor(() => expect(container.querySelectorAll("p")).toHaveLength(120), { timeout: 10_000 });
    expect(container.textContent).toMatch(/^p0p1p2.*p119$/);
  });

  it("has steps of a number of blocks, and of characters", () => {
    expect(nextCount(Array(120).fill("x"), 0)).toBe(50);
    expect(nextCount(Array(120).fill("x"), 100)).toBe(120);
    expect(nextCount(Array(120).fill("x".repeat(15_000)), 3)).toBe(5);
    expect(nextCount(["x".repeat(100_000), "y"], 0)).toBe(1);
  });
});

describe("a text that is being written", () => {
  it("stays as it was written once it has too much markup, and is not parsed again", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const text = new GrowingText("> ".repeat(1_000));
    const { container, rerender } = render(<StreamedMarkdown text={text} />);
    await screen.findByRole("note", {}, { timeout: 10_000 });
    const since = vi.spyOn(text, "since");
    text.append("more");
    rerender(<StreamedMarkdown text={text} className="x" />);
    expect(container.querySelector("p:not([role])")!.textContent).toBe(`${"> ".repeat(1_000)}more`);
    // What is shown of it is put together once.
    expect(since.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it("is parsed again with each piece while its last block is short, of a long one pieces are gathered", async () => {
    const text = new GrowingText("```\nfirst line\n");
    const { container, rerender } = render(<StreamedMarkdown text={text} />);
    await waitFor(() => expect(container.querySelector("pre")).not.toBeNull(), { timeout: 10_000 });
    const write = (piece: string): void => {
      text.append(piece);
      rerender(<StreamedMarkdown text={text} className={`of-${text.count}`} />);
    };
    write("second line\n");
    expect(container.textContent).toContain("second line");
    write("a long line\n".repeat(2_000));
    expect(container.textContent).toContain("a long line");
    write("one piece\n");
    write("and another\n");
    expect(container.textContent).not.toContain("and another");
    await waitFor(() => expect(container.textContent).toContain("one piece\nand another"), { timeout: 10_000 });
    // What follows the long block is short again.
    write("```\n\nThe end.\n\n");
    await waitFor(() => expect(container.textContent).toContain("The end."), { timeout: 10_000 });
    write("Now.");
    expect(container.textContent).toContain("Now.");
  });
});
