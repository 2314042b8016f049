import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { load } from "../../../support/js/bundle.mjs";

const { headOf, plainText, tailOf } = load("builtin/machines/plain_text.ts");

describe("the output of a terminal as text", () => {
  const shown = [
    ["colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[m", "red rgb"],
    ["moves and erasures", "a\x1b[2K\x1b[10;20Hb\x1b[?25l\x1b7c\x1b8", "abc"],
    ["titles and links", "\x1b]0;a title\x07text \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "text link"],
    ["character sets and device strings", "\x1b(Bplain\x1bP1$r0m\x1b\\ text", "plain text"],
    ["a sequence that is cut off", "text\x1b[3", "text"],
    ["line breaks of a terminal", "one\r\ntwo\r\r\nthree\r\n", "one\ntwo\nthree\n"],
    ["what is written over", "10%\r50%\r100%\r\ndone", "100%\ndone"],
    ["a line whose end is waited for", "building\r", "building"],
    ["overstrikes of manuals", "N\bNA\bAM\bME\bE _\bx", "NAME x"],
    ["other control characters", "a\x07b\x00c\td", "abc\td"],
  ];
  for (const [what, output, text] of shown) {
    it(`is without ${what}`, () => assert.equal(plainText(output), text));
  }
});

describe("a part of a text", () => {
  it("is all of it when it fits", () => {
    assert.deepEqual(tailOf("one\ntwo\n", 8), { text: "one\ntwo\n", leftOutBytes: 0 });
    assert.equal(headOf("one", 3), "one");
  });

  it("begins with a line", () => {
    assert.deepEqual(tailOf("one\ntwo\nthree\n", 9), { text: "three\n", leftOutBytes: 8 });
    assert.deepEqual(tailOf("one\ntwo\n", 4), { text: "two\n", leftOutBytes: 4 });
  });

  it("has whole characters where a line is too long", () => {
    assert.deepEqual(tailOf("äöü", 3), { text: "ü", leftOutBytes: 4 });
    assert.equal(headOf("äöü", 3), "ä");
    assert.deepEqual(tailOf(`${"x".repeat(9)}\n`, 4), { text: "xxx\n", leftOutBytes: 6 });
  });
});
