import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../../../support/js/bundle.mjs";

const { strictJsonText } = load("modules/plugins/js/policy/json_text.ts");

const long = "x".repeat(5000);

/** What the host makes of the pieces, and how often it was asked. */
function host({ refuses = false } = {}) {
  const made = { asked: 0, quoted: [] };
  made.quoteJson = (pieces) => {
    made.asked += 1;
    made.quoted = pieces.filter((_, index) => index % 2 === 1);
    return refuses ? undefined : pieces.map((piece, index) => (index % 2 === 1 ? JSON.stringify(piece) : piece)).join("");
  };
  return made;
}

test("says what JSON.stringify says, and has long texts quoted by the host", () => {
  const values = [
    long,
    [long],
    [1, long, "short", long, null],
    { text: long },
    { first: 1, gone: undefined, 'a "key"': { deep: [[], {}, { more: long, is: true }] }, last: "é" },
    { gone: undefined, text: long, after: undefined },
    Array.from({ length: 50 }, (_, index) => ({ index, body: `${index}${long}` })),
    Object.assign(Object.create(null), { text: long }),
    { ["__proto__"]: 1, text: long },
  ];
  for (const value of values) {
    const runtime = host();
    assert.equal(strictJsonText(runtime, value), JSON.stringify(value));
    assert.equal(runtime.asked, 1);
    assert.ok(runtime.quoted.length > 0 && runtime.quoted.every((text) => text.length >= 5000));
  }
});

test("asks the host for nothing when no text is long", () => {
  for (const value of [null, 1, "x".repeat(1023), [], { rows: [{ text: "short" }] }, Array.from({ length: 2000 }, () => "short")]) {
    const runtime = host();
    assert.equal(strictJsonText(runtime, value), JSON.stringify(value));
    assert.equal(runtime.asked, 0);
  }
});

test("does without the host where it refuses", () => {
  const runtime = host({ refuses: true });
  assert.equal(strictJsonText(runtime, { text: `${long}–` }), JSON.stringify({ text: `${long}–` }));
  assert.equal(runtime.asked, 1);
});

test("leaves what says itself how it is written to JSON.stringify", () => {
  const value = Object.defineProperty({ text: long }, "toJSON", { value: () => "mine" });
  assert.equal(strictJsonText(host(), [value, long]), JSON.stringify(["mine", long]));
});

test("tells what is not JSON, wherever the long texts are", () => {
  assert.deepEqual(strictJsonText(host(), { text: long, when: new Date(0) }), {
    path: "when",
    reason: "is an instance of Date, not a plain object",
  });
  // What the value before it has left behind is forgotten.
  const runtime = host();
  assert.equal(strictJsonText(runtime, { text: "short" }), '{"text":"short"}');
  assert.equal(runtime.asked, 0);
});

test("sends of a getter what it said when it was checked", () => {
  let asked = 0;
  const list = [long, 1];
  Object.defineProperty(list, 1, { get: () => (asked++ === 0 ? 1 : undefined), enumerable: true });
  assert.deepEqual(JSON.parse(strictJsonText(host(), { list })), { list: [long, 1] });
});
