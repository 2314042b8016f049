import type { Construct, Extension, State, TokenizeContext } from "micromark-util-types";
import type { Processor } from "unified";

import { TooMuchMarkup } from "./too_much_markup";

/*
 * Texts come from anywhere, and some shapes cost the parsers the square of their length or more: a few kilobytes would hold up the window
 * for minutes. What is counted here is counted in linear time, before the work that it stands for.
 */

/** Quotes and lists within each other, and elements of the formatted text. */
const kMaxDepth = 100;
/** The same of all lines of a text, added up. */
const kMaxDepths = 200_000;
/** Lines of `===` or `---`; the parser looks at all headings before each. */
const kMaxUnderlines = 1_000;
/** Lines that are not blank. */
const kMaxLines = 20_000;
/** Characters of one paragraph times the marks in it that the parser may look at all others for, and the same of all paragraphs. */
const kMaxParagraphWork = 40_000_000;
const kMaxTextWork = 100_000_000;
/** Paragraphs, words in bold, cells and so on, of all of a text. */
const kMaxNodes = 100_000;
/** What stands at the top of a text. */
const kMaxBlocks = 10_000;
/** Characters that references bring in from where they are defined. */
const kMaxReferred = 4_000_000;
/** Characters of all formulas: what is drawn is some hundred times as long. */
const kMaxFormulas = 100_000;
/** Elements of HTML that are not ended; those that style a text begin anew in each paragraph. */
const kMaxOpen = 100;
const kMaxOpenStyles = 20;

const kContainer = /[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)]|\[\^[^\s\]]{1,999}\]:)(?=[ \t]|$))/y;
const kUnderline = /^[ \t>]*(?:=+|-+)[ \t]*$/;

function columnsOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character !== " " && character !== "\t") {
      break;
    }
    columns += character === "\t" ? 4 : 1;
  }
  return columns;
}

function markersOf(line: string): number {
  let count = 0;
  for (kContainer.lastIndex = 0; kContainer.test(line);) {
    count += 1;
  }
  return count;
}

/** Refuses too many lines, and quotes and lists that are nested too deeply. What looks like them in code counts too: a line of code rarely does. */
export function checkLines(text: string): void {
  let depth = 0;
  let depths = 0;
  let underlines = 0;
  let count = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.trim() !== "") {
      count += 1;
      // Each level of a list is two columns at least.
      depth = Math.min(depth, columnsOf(line) >> 1) + markersOf(line);
    }
    depths += depth;
    underlines += kUnderline.test(line) ? 1 : 0;
    if (depth > kMaxDepth || depths > kMaxDepths) {
      throw new TooMuchMarkup("its quotes or lists are nested too deeply");
    }
    if (count > kMaxLines) {
      throw new TooMuchMarkup("it has too many lines");
    }
    if (underlines > kMaxUnderlines) {
      throw new TooMuchMarkup("it has too many underlined lines");
    }
  }
}

const kOpening = 91;
const kClosing = 93;
/** `! $ * < [ _ ` ~` */
const kMarks = new Set([33, 36, 42, 60, 91, 95, 96, 126]);
/** Of these each may make the parser look at all before or after it; a bracket does so as long as it is open. */
const kLookedFor = new Set([36, 42, 60, 95, 96, 126]);

interface Counted {
  work: number;
  readonly seen: WeakSet<TokenizeContext>;
}
const counted = new WeakMap<object, Counted>();

/** At the first mark of a paragraph, all of it is counted; it takes nothing of it. */
const paragraphCounter: Construct = {
  name: "svcParagraphCounter",
  partial: true,
  // It is tried where another one is, and makes no place for them.
  previous: () => false,
  tokenize(effects, _ok, nok) {
    const state = counted.get(this.parser) ?? { work: 0, seen: new WeakSet() };
    counted.set(this.parser, state);
    let length = 0;
    let marks = 0;
    let open = 0;
    let deepest = 0;
    const isSeen = state.seen.has(this);
    state.seen.add(this);
    const end = (): void => {
      const work = length * (marks + deepest);
      state.work += work;
      if (work > kMaxParagraphWork || state.work > kMaxTextWork) {
        throw new TooMuchMarkup("a paragraph of it has too many marks");
      }
    };
    const count: State = (code) => {
      if (code === null) {
        end();
        return nok(code);
      }
      length += 1;
      marks += kLookedFor.has(code) ? 1 : 0;
      open = code === kOpening ? open + 1 : code === kClosing && open > 0 ? open - 1 : open;
      deepest = Math.max(deepest, open);
      effects.consume(code);
      return count;
    };
    return (code) => {
      if (isSeen) {
        return nok(code);
      }
      effects.enter("data");
      return count(code);
    };
  },
};

const kCounting: Extension = { text: Object.fromEntries([...kMarks].map((code) => [code, paragraphCounter])) };

/** A plugin of the parser, the last of those that bring marks: what is added later comes first. */
export function remarkLimits(this: Processor): void {
  (this.data().micromarkExtensions ??= []).push(kCounting);
}

interface Node {
  readonly type: string;
  readonly url?: string | undefined;
  readonly value?: string | undefined;
  readonly title?: string | null | undefined;
  readonly children?: readonly Node[];
}

/** Refuses a tree that is too deep or too large to be drawn. Its references may come to more than the text. */
export function checkTree(root: Node): void {
  let nodes = 0;
  let references = 0;
  let longest = 0;
  let formulas = 0;
  let level: readonly Node[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > kMaxDepth) {
      throw new TooMuchMarkup("its parts are nested too deeply");
    }
    if (nodes > kMaxNodes) {
      throw new TooMuchMarkup("it has too many parts");
    }
    for (const { type, url = "", title, value = "" } of level) {
      formulas += type === "math" || type === "inlineMath" ? value.length : 0;
      references += type === "linkReference" || type === "imageReference" ? 1 : 0;
      longest = type === "definition" ? Math.max(longest, url.length + (title?.length ?? 0)) : longest;
    }
    level = level.flatMap(({ children }) => children ?? []);
  }
  if (formulas > kMaxFormulas) {
    throw new TooMuchMarkup("its formulas are too long");
  }
  if (references * longest > kMaxReferred) {
    throw new TooMuchMarkup("what it refers to is too long");
  }
}

/** Refuses a text of too many blocks. */
export function checkCount(blocks: number): void {
  if (blocks > kMaxBlocks) {
    throw new TooMuchMarkup("it has too many paragraphs");
  }
}

const kVoid = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** They end where the next one begins. */
const kEndsItself = new Set("p li dt dd tr td th thead tbody tfoot colgroup option optgroup rt rp".split(" "));
const kStyles = new Set("a b big code em font i nobr s small strike strong tt u".split(" "));
/** In them, or after them, an end of an element may be none. */
const kOpaque = new Set("script style textarea title xmp iframe noembed noframes noscript plaintext template select svg math".split(" "));
const kTag = /<!--|<(\/?)([a-z][^\s/>]*)/gi;

/** Where a tag ends whose name ends at `from`; what is in quotes belongs to it. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const character = html[at]!;
    if (character === ">") {
      return at + 1;
    }
    if ((character === '"' || character === "'") && html[at - 1] === "=") {
      const end = html.indexOf(character, at + 1);
      if (end === -1) {
        return html.length;
      }
      at = end;
    }
  }
  return html.length;
}

/** Elements of HTML that are open, over all pieces of a text. */
class OpenElements {
  readonly #open = new Map<string, number>();
  #all = 0;
  #styles = 0;
  #isOpaque = false;

  read(html: string): void {
    kTag.lastIndex = 0;
    for (let match = kTag.exec(html); match !== null; match = kTag.exec(html)) {
      const name = match[2]?.toLowerCase();
      if (name === undefined) {
        const end = html.indexOf("-->", kTag.lastIndex);
        kTag.lastIndex = end === -1 ? html.length : end;
        continue;
      }
      kTag.lastIndex = endOfTag(html, kTag.lastIndex);
      if (!kVoid.has(name) && !kEndsItself.has(name)) {
        this.#add(name, match[1] === "" ? 1 : -1);
      }
    }
  }

  #add(name: string, change: 1 | -1): void {
    this.#isOpaque ||= kOpaque.has(name);
    const open = this.#open.get(name) ?? 0;
    if (change === -1 && (open === 0 || this.#isOpaque)) {
      return;
    }
    this.#open.set(name, open + change);
    this.#all += change;
    this.#styles += kStyles.has(name) ? change : 0;
    if (this.#all > kMaxOpen || this.#styles > kMaxOpenStyles) {
      throw new TooMuchMarkup("too many elements of its HTML are not ended");
    }
  }
}

interface HtmlNode extends Node {
  readonly children?: readonly HtmlNode[];
}

/** A plugin that stands before the one that reads HTML. */
export const rehypeHtmlLimits = () => (root: HtmlNode) => {
  const elements = new OpenElements();
  const read = ({ type, value = "", children = [] }: HtmlNode): void => {
    if (type === "raw") {
      elements.read(value);
    }
    children.forEach(read);
  };
  read(root);
};

/** A plugin that stands at the end. */
export const rehypeTreeLimits = () => checkTree;
