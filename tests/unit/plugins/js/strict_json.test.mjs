import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { load } from "../../../support/js/bundle.mjs";

const { checkJson, copyJson, describeViolation, jsonTextOf } = load("modules/plugins/js/policy/strict_json.ts");

function violation(value) {
  const found = checkJson(value);
  return found === null ? null : describeViolation("value", found);
}

function nested(levels) {
  let value = 1;
  for (let level = 0; level < levels; level++) {
    value = [value];
  }
  return value;
}

test("accepts what JSON can hold", () => {
  const shared = { a: 1 };
  for (const value of [
    null,
    true,
    0,
    -1.5,
    "",
    [],
    {},
    [[1, "x", null]],
    { a: { b: [false] } },
    { a: undefined },
    Object.create(null),
    runInNewContext("({ a: [1] })"),
    [shared, shared],
    nested(128),
  ]) {
    assert.equal(violation(value), null);
  }
});

test("names the path and the reason of a violation", () => {
  class Point {}
  const cases = [
    [undefined, "value is undefined"],
    [[1, undefined], "value[1] is undefined"],
    [{ a: { b: [new Date()] } }, "value.a.b[0] is an instance of Date, not a plain object"],
    [{ "x y": NaN }, 'value["x y"] is NaN, which JSON cannot hold'],
    [-Infinity, "value is -Infinity, which JSON cannot hold"],
    [1n, "value is a bigint"],
    [{ f() {} }, "value.f is a function"],
    [[Symbol("s")], "value[0] is a symbol"],
    [new Map(), "value is an instance of Map, not a plain object"],
    [[new Point()], "value[0] is an instance of Point, not a plain object"],
    [new Uint8Array(2), "value is an instance of Uint8Array, not a plain object"],
    [{ toJSON: () => 1 }, "value.toJSON is a function"],
    [nested(129), "value is nested 129 levels deep, the limit jsonDepth is 128"],
    [{ a: nested(5000) }, "value is nested 5001 levels deep, the limit jsonDepth is 128"],
  ];
  for (const [value, expected] of cases) {
    assert.equal(violation(value), expected);
  }
});

test("finds a value that contains itself", () => {
  const value = { list: [] };
  value.list.push({ value });
  assert.equal(violation(value), "value contains itself");
});

test("asks a getter once: what was checked is what is sent", () => {
  const counting = (first, then) => {
    let asked = 0;
    return Object.defineProperty({}, "a", { enumerable: true, get: () => (asked++ === 0 ? first : then) });
  };
  assert.equal(jsonTextOf({ list: [counting(1, NaN)] }), '{"list":[{"a":1}]}');
  assert.deepEqual(jsonTextOf(counting(1n, 1)), { path: "a", reason: "is a bigint" });
  assert.equal(jsonTextOf(counting({ b: 1 }, undefined)), '{"a":{"b":1}}');
  let asked = 0;
  const proxy = new Proxy({ a: 1 }, { get: () => (asked++ === 0 ? undefined : asked === 2 ? 7 : NaN) });
  assert.equal(jsonTextOf(proxy), '{"a":7}');
});

test("the copy has what JSON.stringify would send", () => {
  const own = JSON.parse('{"__proto__":{"a":1},"b":[{"c":null}]}');
  assert.equal(jsonTextOf(own), '{"__proto__":{"a":1},"b":[{"c":null}]}');
  assert.equal(jsonTextOf(Object.defineProperty({}, "hidden", { value: NaN })), "{}");
  assert.equal(jsonTextOf({ [Symbol("s")]: 1n, a: undefined, b: 1 }), '{"b":1}');
  const saying = (said) => Object.defineProperty({ a: 1 }, "toJSON", { value: () => said });
  assert.equal(jsonTextOf([saying("mine"), saying({ b: 2 })]), '["mine",{"b":2}]');
  assert.deepEqual(jsonTextOf(saying(NaN)), { path: "", reason: "is NaN, which JSON cannot hold" });
  const itself = Object.defineProperty({ a: 1 }, "toJSON", { value: () => itself });
  assert.equal(jsonTextOf(itself), '{"a":1}');
  assert.notEqual(copyJson(own).copy, own);
});
