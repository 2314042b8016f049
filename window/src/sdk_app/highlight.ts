import { createHighlighterCore, type HighlighterCore, type ThemedToken } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { bundledLanguages, bundledLanguagesAlias, type BundledLanguage } from "shiki/langs";
import { bundledThemes, type BundledTheme } from "shiki/themes";

import { readableColor } from "./contrast";

/** Coloured words of one line. */
export type CodeLine = readonly Pick<ThemedToken, "content" | "color" | "fontStyle">[];

const kFallbackThemes = { light: "github-light-default", dark: "github-dark-default" } as const;

let highlighter: Promise<HighlighterCore> | undefined;

function loadHighlighter(): Promise<HighlighterCore> {
  // The engine in JavaScript needs neither WebAssembly nor a worker; a grammar it cannot read in full is shown as far as it can.
  highlighter ??= createHighlighterCore({ themes: [], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
  return highlighter;
}

const isLanguage = (name: string): name is BundledLanguage => Object.hasOwn(bundledLanguages, name) || Object.hasOwn(bundledLanguagesAlias, name);
const isTheme = (name: string): name is BundledTheme => Object.hasOwn(bundledThemes, name);

/** Null when the language is not known: the code is shown as it is. */
export async function highlight(
  content: string,
  language: string,
  theme: { name: string; mode: "light" | "dark" },
): Promise<readonly CodeLine[] | null> {
  const lang = language.toLowerCase();
  if (!isLanguage(lang)) {
    return null;
  }
  const themeName = isTheme(theme.name) ? theme.name : kFallbackThemes[theme.mode];
  const shiki = await loadHighlighter();
  const loader = (Object.hasOwn(bundledLanguages, lang) ? bundledLanguages : bundledLanguagesAlias)[lang as never] as never;
  await Promise.all([shiki.loadLanguage(loader), shiki.loadTheme(bundledThemes[themeName])]);
  const { tokens } = shiki.codeToTokens(content, { lang, theme: themeName });
  const readable = new Map<string, string>();
  const colorOf = (color: string): string => {
    const known = readable.get(color) ?? readableColor(color, theme.mode);
    readable.set(color, known);
    return known;
  };
  return tokens.map((line) => line.map((token) => (token.color === undefined ? token : { ...token, color: colorOf(token.color) })));
}
