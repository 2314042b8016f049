import type { ComposerMention } from "#sdk/app/composer.js";

import type { TextRange } from "#sdk/app_policy/composer_text.js";

/** What is being typed to find a mention; the range holds the trigger, too. */
export interface MentionQuery extends TextRange {
  readonly trigger: string;
  readonly query: string;
}

/** Characters of a query; what is longer is text. */
const kMaxQuery = 64;
/** What may stand before a trigger: an `@` inside of a word is part of an address. */
const kBefore = /[\s([{"'“‘—–-]/;

/** The query that ends at the caret; null when there is none. */
export function findMentionQuery(
  { text, selection, mentions }: { text: string; selection: TextRange | null; mentions: readonly ComposerMention[] },
  triggers: readonly string[],
): MentionQuery | null {
  if (selection === null || selection.start !== selection.end) {
    return null;
  }
  const caret = selection.start;
  const earliest = Math.max(0, caret - kMaxQuery - 1);
  for (let at = caret - 1; at >= earliest; at--) {
    const character = text[at]!;
    if (/\s/.test(character)) {
      return null;
    }
    const before = text[at - 1];
    if (triggers.includes(character) && (before === undefined || kBefore.test(before))) {
      const isInMention = mentions.some(({ start, end }) => at >= start && at < end);
      return isInMention ? null : { trigger: character, query: text.slice(at + 1, caret), start: at, end: caret };
    }
  }
  return null;
}
