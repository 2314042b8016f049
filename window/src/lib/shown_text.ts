/** A stretch of a text; `isHidden`: one character that is obeyed or not seen, and so lets the rest read as something else than it is. */
export interface TextPart {
  readonly text: string;
  readonly isHidden: boolean;
}

// Controls, marks and overrides of direction, what has no width and no look, fillers, breaks of lines that are none, selectors and tags.
const kSuspects =
  // eslint-disable-next-line no-misleading-character-class -- each is looked for by itself
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\uddff]/g;

const kPictograph = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u;
/** What U+FE0F and U+FE0E choose the look of. */
const kHasLooks = /^[\p{Extended_Pictographic}\p{Emoji}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]$/u;
/** Letters that joiners are written between: those of languages whose letters join. */
const kJoins =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

const kRightToLeft = /(?=\p{Letter})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const kZeroWidthNonJoiner = 0x200c;
const kZeroWidthJoiner = 0x200d;

const before = (text: string, at: number): string => /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "";
const after = (text: string, at: number): string => (at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "");

/** Whether the character is part of how a language or an emoji is written. */
function isWriting(text: string, at: number, character: string): boolean {
  const code = character.codePointAt(0)!;
  const previous = before(text, at);
  const next = after(text, at + character.length);
  if (code === 0x0d) {
    // The end of a line, also of one that was cut out of its text.
    return next === "" || next === "\n";
  }
  if (code === kZeroWidthJoiner || code === kZeroWidthNonJoiner) {
    const isEmoji = code === kZeroWidthJoiner && kPictograph.test(next) && (kPictograph.test(previous) || previous === "\ufe0f");
    return isEmoji || kJoins.test(previous);
  }
  if (code === 0x200e || code === 0x200f || code === 0x061c) {
    // Marks that stand around the punctuation of right-to-left writing. They turn no letters round.
    return kRightToLeft.test(text.slice(Math.max(0, at - 3), at + 4));
  }
  if (code >= 0xfe00 && code <= 0xfe0f) {
    return kHasLooks.test(previous);
  }
  if (code >= 0x180b && code <= 0x180f && code !== 0x180e) {
    return /^\p{Script=Mongolian}$/u.test(previous);
  }
  if (code >= 0xe0100) {
    return /^\p{Script=Han}$/u.test(previous);
  }
  // The flags of regions such as Scotland are a black flag with tags.
  return code >= 0xe0020 && code <= 0xe007f && /\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8}$/u.test(text.slice(Math.max(0, at - 18), at));
}

/** The text in parts, each hidden character for itself; null for nearly all texts, which have none. */
export function hiddenParts(text: string): readonly TextPart[] | null {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(kSuspects)) {
    if (isWriting(text, index, character)) {
      continue;
    }
    if (index > from) {
      parts.push({ text: text.slice(from, index), isHidden: false });
    }
    parts.push({ text: character, isHidden: true });
    from = index + character.length;
  }
  if (parts.length === 0) {
    return null;
  }
  if (from < text.length) {
    parts.push({ text: text.slice(from), isHidden: false });
  }
  return parts;
}

/** How a hidden character is written, as `svc` writes it too: `\u{202E}`. */
export const characterName = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`;

/**
 * What others wrote, where only plain text goes (names of elements for assistive technology, the title of the page, notifications of
 * the system): hidden characters by their names. Where elements go, the JSX of the window does it by itself (`ui/shown_text`).
 */
export function shownText(text: string): string {
  const parts = hiddenParts(text);
  return parts === null ? text : parts.map((part) => (part.isHidden ? characterName(part.text) : part.text)).join("");
}
