/** The rules of a style sheet: as much of CSS as it takes to rewrite selectors. */
export type CssNode =
  | { kind: "block"; prelude: string; nodes: CssNode[] }
  /** A declaration, or an at-rule without a block. */
  | { kind: "text"; text: string };

/** Where the string, comment or escape that begins at `index` ends; `index` itself when there is none. */
function skip(css: string, index: number): number {
  const character = css[index];
  if (character === "\\") {
    return index + 2;
  }
  if (character === "/" && css[index + 1] === "*") {
    const end = css.indexOf("*/", index + 2);
    return end < 0 ? css.length : end + 2;
  }
  if (character === '"' || character === "'") {
    let at = index + 1;
    while (at < css.length && css[at] !== character) {
      at += css[at] === "\\" ? 2 : 1;
    }
    return at + 1;
  }
  return index;
}

export function parseCss(css: string): CssNode[] {
  const root: CssNode[] = [];
  const open: { prelude: string; nodes: CssNode[] }[] = [{ prelude: "", nodes: root }];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < css.length;) {
    const after = skip(css, at);
    if (after !== at) {
      at = after;
      continue;
    }
    const character = css[at];
    if (character === "(" || character === "[") {
      depth += 1;
    } else if (character === ")" || character === "]") {
      depth = Math.max(0, depth - 1);
    } else if (depth === 0 && (character === "{" || character === "}" || character === ";")) {
      const text = css.slice(start, at).trim();
      const current = open[open.length - 1]!;
      if (character === "{") {
        const block = { kind: "block" as const, prelude: text, nodes: [] };
        current.nodes.push(block);
        open.push(block);
      } else {
        if (text !== "") {
          current.nodes.push({ kind: "text", text });
        }
        if (character === "}" && open.length > 1) {
          open.pop();
        }
      }
      start = at + 1;
    }
    at += 1;
  }
  const rest = css.slice(start).trim();
  if (rest !== "") {
    root.push({ kind: "text", text: rest });
  }
  return root;
}

export function printCss(nodes: readonly CssNode[]): string {
  return nodes
    .map((node) =>
      node.kind === "text"
        ? `${node.text.endsWith("*/") ? node.text : `${node.text};`}\n`
        : `${node.prelude} {\n${printCss(node.nodes)}}\n`,
    )
    .join("");
}

/** A list of selectors in its parts: commas in brackets, strings and escapes do not count. */
export function splitSelectors(list: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length;) {
    const after = skip(list, at);
    if (after !== at) {
      at = after;
      continue;
    }
    if ("([".includes(list[at]!)) {
      depth += 1;
    } else if (")]".includes(list[at]!)) {
      depth -= 1;
    } else if (list[at] === "," && depth === 0) {
      out.push(list.slice(start, at).trim());
      start = at + 1;
    }
    at += 1;
  }
  out.push(list.slice(start).trim());
  return out.filter((selector) => selector !== "");
}

/** True when the selector outside of strings, escapes and attribute brackets has one of the characters. */
export function hasOutside(selector: string, characters: string): boolean {
  let brackets = 0;
  for (let at = 0; at < selector.length;) {
    const after = skip(selector, at);
    if (after !== at) {
      at = after;
      continue;
    }
    if (selector[at] === "[") {
      brackets += 1;
    } else if (selector[at] === "]") {
      brackets -= 1;
    } else if (brackets === 0 && characters.includes(selector[at]!)) {
      return true;
    }
    at += 1;
  }
  return false;
}
