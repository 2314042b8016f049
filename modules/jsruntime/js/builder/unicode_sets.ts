import { kRegExpWithSets } from "../prelude/language_regexp.js";

/** How the bundler writes a regular expression whose flag v the engine does not know, minified or not. */
const kLoweredSets = /\bnew RegExp\((?=(["'`])(?:\\.|(?!\1)[^\\\n])*\1, ?"[a-z]*v[a-z]*"\))/g;

/** Has literals with the flag v that the bundler has lowered made by the prelude, which can do without the flag. */
export function withUnicodeSets(code: string): string {
  return code.replace(kLoweredSets, `new ${kRegExpWithSets}(`);
}
