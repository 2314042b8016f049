const kFence = /^ {0,3}(`{3,}|~{3,})/;
const kDeepest = 6;

/**
 * Markdown with every `#` heading some levels lower, so that a page keeps its one first heading. Code blocks stay as they are;
 * underlined headings become `#` headings.
 */
export function lowerHeadings(markdown: string, levels: number): string {
  const out: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const mark: string | undefined = kFence.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) {
        fence = undefined;
      }
      out.push(line);
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      out.push(line);
      continue;
    }
    const underline = /^ {0,3}(=+|-{2,})\s*$/.exec(line)?.[1];
    const before = out.at(-1);
    if (underline !== undefined && before !== undefined && /^ {0,3}[^\s#>*+\-|]/.test(before)) {
      out[out.length - 1] = `${"#".repeat(Math.min(kDeepest, (underline[0] === "=" ? 1 : 2) + levels))} ${before.trim()}`;
      continue;
    }
    out.push(
      line.replace(
        /^( {0,3})(#{1,6})(?=\s|$)/,
        (_, space: string, marks: string) => space + "#".repeat(Math.min(kDeepest, marks.length + levels)),
      ),
    );
  }
  return out.join("\n");
}
