import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { load } from "../../../support/js/bundle.mjs";

const { checkJson, describeViolation } = load("modules/plugins/js/policy/strict_json.ts");

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
    [nested(129), "value is nested deeper than 128 levels"],
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
