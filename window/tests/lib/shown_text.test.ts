import { describe, expect, it } from "vitest";

import { hiddenParts, shownText } from "@/lib/shown_text";

describe("shownText", () => {
  it.each([
    ["an override of direction", "rm \u202etxt", "rm \\u{202E}txt"],
    ["isolates", "\u2066a\u2069", "\\u{2066}a\\u{2069}"],
    ["marks of direction", "a\u200e\u200f\u061cb", "a\\u{200E}\\u{200F}\\u{61C}b"],
    ["controls", "\u0007a\u001b[2K\u009b\u007f", "\\u{7}a\\u{1B}[2K\\u{9B}\\u{7F}"],
    ["a return within a line", "rm -rf ~\rls", "rm -rf ~\\u{D}ls"],
    ["what has no width", "a\u200b\u2060\ufeff\u00adb", "a\\u{200B}\\u{2060}\\u{FEFF}\\u{AD}b"],
    ["joiners between letters that do not join", "l\u200ds\u200cx", "l\\u{200D}s\\u{200C}x"],
    ["breaks of lines that are none", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["a selector of looks after a letter", "a\ufe0fb\u{e0101}", "a\\u{FE0F}b\\u{E0101}"],
    ["tags that belong to no flag", "ls\u{e0072}\u{e006d}", "ls\\u{E0072}\\u{E006D}"],
    ["fillers", "a\u3164b\uffa0", "a\\u{3164}b\\u{FFA0}"],
  ])("names %s", (_what, text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it.each([
    ["layout", "a\tb\nc\r\nd\r"],
    ["emoji that are joined", "👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥"],
    ["emoji and signs with a look", "❤️ ☎︎ 1️⃣ ©️ ↔️"],
    ["flags of countries and regions", "🇩🇪 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["letters from right to left", "שלום مرحبا"],
    ["marks around their punctuation", "(שלום)\u200f مرحبا!\u061c"],
    ["languages whose letters join", "می‌خواهم क्‍ष ක්‍ෂ"],
    ["other signs", "naïve – “x” 漢字 \u00a0 🙂"],
  ])("leaves %s", (_what, text) => {
    expect(hiddenParts(text)).toBeNull();
    expect(shownText(text)).toBe(text);
  });

  it("has each hidden character as a part of its own, which are the text together", () => {
    const text = "\u202ea\u{e0072}b";
    expect(hiddenParts(text)).toEqual([
      { text: "\u202e", isHidden: true },
      { text: "a", isHidden: false },
      { text: "\u{e0072}", isHidden: true },
      { text: "b", isHidden: false },
    ]);
  });
});
