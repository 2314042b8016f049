import assert from "node:assert/strict";
import { test } from "node:test";

import { defineRpcContract, PLUGIN_CLI_OUTPUT_MAX_BYTES } from "@get-svc/plugin-sdk";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const output = z.string();

test("a contract is returned as it is, whichever library made its schemas", () => {
  const contract = {
    none: { input: null, output },
    zod: { input: z.object({}), output },
    valibot: { input: v.object({}), output: v.string() },
    arktype: { input: type({}), output: type("string") },
  };
  assert.equal(defineRpcContract(contract), contract);
});

test("method names are dotted segments of letters, digits, dash and underscore", () => {
  for (const name of ["a", "todos_list", "notes.search", "a-b.C_1.2"]) {
    defineRpcContract({ [name]: { input: null, output } });
  }
  for (const name of ["", ".", "a.", ".a", "a..b", "a b", "a/b", "ä", "a\n"]) {
    assert.throws(() => defineRpcContract({ [name]: { input: null, output } }), /^TypeError: defineRpcContract: method name/);
  }
});

test("what is no contract is refused with the place of the problem", () => {
  const cases = [
    [null, /the contract must be an object/],
    [[], /the contract must be an object/],
    [{ a: null }, /method "a" must be an object \{ input, output \}/],
    [{ a: { output } }, /input of method "a" must be a Standard Schema v1 validator, or null/],
    [{ a: { input: {}, output } }, /input of method "a"/],
    [{ a: { input: null } }, /output of method "a"/],
    [{ a: { input: null, output: null } }, /output of method "a"/],
    [{ a: { input: null, output: { "~standard": { version: 2, validate() {} } } } }, /output of method "a"/],
  ];
  for (const [contract, message] of cases) {
    assert.throws(() => defineRpcContract(contract), message);
  }
});

test("the output limit of commands is one mebibyte", () => {
  assert.equal(PLUGIN_CLI_OUTPUT_MAX_BYTES, 1_048_576);
});
