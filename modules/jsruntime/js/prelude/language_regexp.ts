/**
 * Regular expressions with the flag v, for an engine that has only u: a pattern without what v adds means the same under both,
 * and \p{RGI_Emoji} outside of a class is spelled out. Set operations and nested classes stay a SyntaxError. The builder
 * names this where it lowers such a literal; RegExp itself is not touched, because V8 is fast with the original only.
 */
export const kRegExpWithSets = "RegExv"; // as long as "RegExp", so that columns stay right

export function addUnicodeSets(): void {
  Object.defineProperty(globalThis, kRegExpWithSets, { value: makeRegExp });
}

function makeRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    try {
      return new RegExp(
        pattern.replaceAll(String.raw`\p{RGI_Emoji}`, () => kEmoji),
        flags.replace("v", "u"),
      );
    } catch {
      throw error;
    }
  }
}

const { raw } = String;
const kOneEmoji = raw`(?:\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{Emoji_Presentation}|\p{Emoji}\uFE0F)`;
const kEmoji = raw`(?:\p{Regional_Indicator}{2}|[0-9#*]\uFE0F\u20E3|${kOneEmoji}[\u{E0020}-\u{E007F}]*(?:\u200D(?:${kOneEmoji}|\p{Emoji}))*)`;
