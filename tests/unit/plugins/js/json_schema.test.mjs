import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../../../support/js/bundle.mjs";

const { compileSchema } = load("modules/plugins/js/policy/json_schema.ts");
const { formProblem } = load("modules/plugins/js/policy/schema_form.ts");

const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const why = (schema, value) => compileSchema(schema)(value);

describe("formProblem", () => {
  for (const sound of [
    {},
    object({ type: { type: ["string", "null"], pattern: "^\\p{L}+$" }, pattern: true }),
    { items: [{ type: "string" }, false], additionalProperties: false, enum: [{ type: "banana" }] },
    { $defs: { a: { minimum: 0.5, minLength: 0 } }, anyOf: [{ required: ["a"] }], default: { type: 7 } },
  ]) {
    it(`finds nothing in ${JSON.stringify(sound)}`, () => assert.equal(formProblem(sound), undefined));
  }

  for (const [schema, told] of [
    [object({ a: { type: "banana" } }), 'properties.a.type: there is no type "banana"'],
    [{ type: ["string", 7] }, "type: there is no type 7"],
    [{ type: [] }, "type: there is no type []"],
    [object({ a: { pattern: "(" } }), "properties.a.pattern: Invalid regular expression"],
    [{ patternProperties: { "[": {} } }, "patternProperties.[: Invalid regular expression"],
    [{ required: true }, "required: must be an array of names, is true"],
    [{ items: { enum: "a" } }, 'items.enum: must be an array, is "a"'],
    [{ anyOf: [{}, { minLength: -1 }] }, "anyOf.1.minLength: must be a number, is -1"],
    [{ properties: ["a"] }, 'properties: must be an object of schemas, is ["a"]'],
    [{ not: "x" }, 'not: must be a schema (an object or a boolean), is "x"'],
  ]) {
    it(`finds what is wrong with ${JSON.stringify(schema)}`, () => {
      const problem = formProblem(schema);
      assert.ok(problem?.startsWith(told), problem);
    });
  }
});

describe("compileSchema", () => {
  it("says nothing of a value that fits", () => {
    assert.equal(why(object({ a: { type: "string" } }, { required: ["a"] }), { a: "x" }), undefined);
  });

  for (const [what, schema, value, told] of [
    ["a type", { type: "integer" }, "x", 'must be an integer, is "x"'],
    ["several types", { type: ["string", "null"] }, 3, "must be a string or null, is 3"],
    ["one of some values", { enum: ["x", "y"] }, "q", 'must be one of "x", "y", is "q"'],
    ["one value", { const: 1 }, 2, "must be 1, is 2"],
    ["a least number", { minimum: 3 }, 1, "must be at least 3, is 1"],
    ["a length", { minLength: 2 }, "", 'must be at least 2 characters long, is ""'],
    ["one item at most", { maxItems: 1 }, [1, 2], "must be an array of at most 1 item, is [1,2]"],
    ["a pattern", { pattern: "^a" }, "b", 'must be text that matches /^a/, is "b"'],
    ["a format", { format: "email" }, "x", 'must be text of the format email, is "x"'],
    ["different items", { uniqueItems: true }, [1, 1], "must be an array without equal items, is [1,1]"],
  ]) {
    it(`names ${what} and what is there`, () => {
      assert.equal(why(schema, value), told);
      assert.equal(why(object({ a: object({ b: { items: schema } }) }), { a: { b: [value] } }), `a.b.0: ${told}`);
    });
  }

  it("names every member that is missing or has no place", () => {
    const schema = object({ a: {}, z: {} }, { required: ["a", "z"], additionalProperties: false });
    assert.equal(why(schema, { z: 1 }), "a: is required, and missing");
    assert.equal(why(object({ in: schema }), { in: {} }), "in.a: is required, and missing; in.z: is required, and missing");
    assert.equal(why(schema, { a: 1, z: 1, d: 5 }), "d: must not be there, is 5");
  });

  it("does not say of what is wrong inside that it must not be there", () => {
    const schema = object({ t: { prefixItems: [{ type: "string" }, { type: "number" }], items: false } }, { unevaluatedProperties: false });
    assert.equal(why(schema, { t: ["a", 1, 2] }), "t.2: must not be there, is 2");
    assert.equal(why(schema, { t: ["a", 1], u: 1 }), "u: must not be there, is 1");
  });

  it("finds what a reference to an anchor asks for", () => {
    const schema = object({ a: { $ref: "#qq" } }, { $defs: { q: { $anchor: "qq", type: "integer" } } });
    assert.equal(why(schema, { a: "x" }), 'a: must be an integer, is "x"');
  });

  it("tells alternatives in one sentence", () => {
    assert.equal(why({ oneOf: [{ type: "string" }, { type: "number" }] }, true), "must be a string or a number, is true");
    assert.equal(
      why({ anyOf: [{ type: "string" }, object({ k: { const: 1 } }, { required: ["k"] })] }, { k: 2 }),
      'must be a string or with k 1, is {"k":2}',
    );
    assert.equal(why({ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3), "Instance does not match exactly one subschema (2 matches).");
  });

  it("follows references, and unusual names", () => {
    const schema = object({ "a/b ~": { $ref: "#/$defs/n" } }, { $defs: { n: { type: "number", maximum: 2 } } });
    assert.equal(why(schema, { "a/b ~": 3 }), "a/b ~: must be at most 2, is 3");
  });

  it("cuts long values, and tells the first three problems", () => {
    assert.equal(why({ type: "number" }, "x".repeat(100)), `must be a number, is "${"x".repeat(59)}…`);
    const names = ["a", "b", "c", "d"];
    const all = object(Object.fromEntries(names.map((name) => [name, { type: "null" }])));
    assert.equal(why(all, { a: 1, b: 1, c: 1, d: 1 }), "a: must be null, is 1; b: must be null, is 1; c: must be null, is 1 (and 1 more)");
  });
});
