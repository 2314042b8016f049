import { createHighlighterCore, type GrammarState, type HighlighterCore, type ThemedToken } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { bundledLanguages, bundledLanguagesAlias, type BundledLanguage } from "shiki/langs";
import { bundledThemes, type BundledTheme } from "shiki/themes";

import { readableColor } from "./contrast";

/** Coloured words of one line. */
export type CodeLine = readonly Pick<ThemedToken, "content" | "color" | "fontStyle">[];

/** Coloured code, and where to go on when text is added to it. */
export interface Highlighted {
  readonly content: string;
  readonly lines: readonly CodeLine[];
  readonly resume: Resume;
}

interface Resume {
  readonly lang: string;
  readonly themeName: string;
  /** The complete lines, with the break after the last one. */
  readonly content: string;
  readonly lines: readonly CodeLine[];
  readonly state: GrammarState | undefined;
}

const kFallbackThemes = { light: "github-light-default", dark: "github-dark-default" } as const;

let highlighter: Promise<HighlighterCore> | undefined;

function loadHighlighter(): Promise<HighlighterCore> {
  // The engine in JavaScript needs neither WebAssembly nor a worker; a grammar it cannot read in full is shown as far as it can.
  highlighter ??= createHighlighterCore({ themes: [], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
  return highlighter;
}

const isLanguage = (name: string): name is BundledLanguage =>
  Object.hasOwn(bundledLanguages, name) || Object.hasOwn(bundledLanguagesAlias, name);
const isTheme = (name: string): name is BundledTheme => Object.hasOwn(bundledThemes, name);

export interface CodeTheme {
  name: string;
  mode: "light" | "dark";
}

/**
 * Null when the language is not known: the code is shown as it is. What was coloured `before` is not coloured again when `content` only
 * adds to it, so that code which is being written costs no more with every word. `onLoaded` is called when only the work itself is left,
 * whose time nobody can bound: grammars are regular expressions.
 */
export async function highlight(
  content: string,
  language: string,
  theme: CodeTheme,
  before?: Highlighted,
  onLoaded?: () => void,
): Promise<Highlighted | null> {
  const lang = language.toLowerCase();
  if (!isLanguage(lang)) {
    return null;
  }
  const themeName = isTheme(theme.name) ? theme.name : kFallbackThemes[theme.mode];
  const shiki = await loadHighlighter();
  const loader = (Object.hasOwn(bundledLanguages, lang) ? bundledLanguages : bundledLanguagesAlias)[lang as never] as never;
  await Promise.all([shiki.loadLanguage(loader), shiki.loadTheme(bundledThemes[themeName])]);
  onLoaded?.();
  const readable = new Map<string, string>();
  const colorOf = (color: string): string => {
    const known = readable.get(color) ?? readableColor(color, theme.mode);
    readable.set(color, known);
    return known;
  };
  const known = before?.resume;
  const start =
    known?.lang === lang && known.themeName === themeName && content.startsWith(known.content)
      ? known
      : { content: "", lines: [] as readonly CodeLine[], state: undefined };
  const colour = (code: string, grammarState: GrammarState | undefined) => {
    const result = shiki.codeToTokens(code, { lang, theme: themeName, ...(grammarState === undefined ? {} : { grammarState }) });
    const lines = result.tokens.map((line) =>
      line.map((token) => (token.color === undefined ? token : { ...token, color: colorOf(token.color) })),
    );
    return { lines, state: result.grammarState };
  };
  const end = content.lastIndexOf("\n") + 1;
  const isLonger = end > start.content.length;
  const added = isLonger ? colour(content.slice(start.content.length, end - 1), start.state) : { lines: [], state: start.state };
  const resume: Resume = { lang, themeName, content: content.slice(0, end), lines: [...start.lines, ...added.lines], state: added.state };
  return { content, lines: [...resume.lines, ...colour(content.slice(end), resume.state).lines], resume };
}
