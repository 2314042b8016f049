/** What has an empty line around it; other blocks have lines of their own. */
const kApart = "p, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, pre, figure, table, hr";
const kInline = /^(inline.*|contents|ruby.*|)$/;
/** Lists within lists follow the text they belong to. */
const kInList = "li ul, li ol, li > p";

interface Writer {
  text: string;
  /** Line breaks that are due before the next text. */
  breaks: number;
}

function write(to: Writer, text: string): void {
  if (text === "") {
    return;
  }
  // Code ends with a line break of its own.
  const [written = ""] = /\n*$/.exec(to.text) ?? [];
  to.text += (to.text === "" ? "" : "\n".repeat(Math.max(0, to.breaks - written.length))) + text;
  to.breaks = 0;
}

function breakLine(to: Writer, breaks: number): void {
  to.breaks = Math.max(to.breaks, breaks);
  to.text = to.text.replace(/[ \t]+$/, "");
}

function writeText(to: Writer, node: Text, range: Range): void {
  const start = node === range.startContainer ? range.startOffset : 0;
  const end = node === range.endContainer ? range.endOffset : node.length;
  const text = node.data.slice(start, end);
  if (getComputedStyle(node.parentElement!).whiteSpace.startsWith("pre")) {
    write(to, text);
    return;
  }
  const joined = text.replace(/[\t\n\f\r ]+/g, " ");
  const isAtStart = to.breaks > 0 || /(^|\s)$/.test(to.text);
  write(to, isAtStart ? joined.trimStart() : joined);
}

/** A formula is drawn of many parts; as a text it is what was written. */
function writeFormula(to: Writer, formula: Element): void {
  const source = formula.querySelector("annotation")?.textContent ?? "";
  const mark = formula.closest(".katex-display") === null ? "$" : "$$";
  write(to, `${mark}${source}${mark}`);
}

function isShown(element: Element, { display, visibility, userSelect }: CSSStyleDeclaration): boolean {
  return display !== "none" && visibility !== "hidden" && userSelect !== "none" && !element.matches(".sr-only, svg");
}

function visit(to: Writer, node: Node, range: Range): void {
  if (!range.intersectsNode(node)) {
    return;
  }
  if (node instanceof Text) {
    writeText(to, node, range);
  } else if (node instanceof Element) {
    visitElement(to, node, range);
  }
}

function visitElement(to: Writer, element: Element, range: Range): void {
  const style = getComputedStyle(element);
  if (element.matches(".katex")) {
    writeFormula(to, element);
  } else if (element.matches("br")) {
    write(to, "\n");
  } else if (element.matches("td, th")) {
    write(to, element.previousElementSibling !== null && to.breaks === 0 ? "\t" : "");
    element.childNodes.forEach((child) => visit(to, child, range));
  } else if (isShown(element, style)) {
    const breaks = kInline.test(style.display) ? 0 : element.matches(kApart) && !element.matches(kInList) ? 2 : 1;
    if (breaks > 0) {
      breakLine(to, breaks);
    }
    element.childNodes.forEach((child) => visit(to, child, range));
    if (breaks > 0) {
      breakLine(to, breaks);
    }
  }
}

/**
 * The text in a range as somebody sees it: in the lines of the page, without what is there to be read out only, without controls, and
 * formulas as they were written. What browsers make of a selection has each formula twice, once of them in pieces.
 */
export function seenText(range: Range): string {
  const to: Writer = { text: "", breaks: 0 };
  const { commonAncestorContainer: ancestor } = range;
  const formula = (ancestor instanceof Element ? ancestor : ancestor.parentElement)?.closest(".katex");
  if (formula) {
    writeFormula(to, formula);
  } else {
    visit(to, ancestor, range);
  }
  return to.text.replace(/^\n+|\s+$/g, "");
}
