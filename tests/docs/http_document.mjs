// docs/http/openapi.json for its tests: its operations, and whether an answer is what it says.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Validator } from "@cfworker/json-schema";

import { root } from "./guide_examples.mjs";

const kMethods = ["get", "put", "post", "patch", "delete"];

export const document = JSON.parse(readFileSync(join(root, "docs/http/openapi.json"), "utf8"));

/** Of every operation: `method` in capitals, `path`, `pattern` as the server writes it, and the `operation` itself. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  kMethods
    .filter((method) => item[method] !== undefined)
    .map((method) => ({ method: method.toUpperCase(), path, pattern: patternOf(path), operation: item[method] })),
);

function patternOf(path) {
  return path.replace(/\{rest\}$/, "*").replace(/\{(\w+)\}/g, ":$1");
}

/** What a reference of the document means. */
export function resolve(value) {
  if (value?.$ref === undefined) {
    return value;
  }
  const { $ref, ...own } = value;
  const target = $ref
    .slice(2)
    .split("/")
    .reduce((at, key) => at?.[key], document);
  return target === undefined ? undefined : { ...resolve(target), ...own };
}

/** The schema, which takes no member that it does not name: readers have to, but the document is to be whole. */
function closed(schema) {
  if (Array.isArray(schema)) {
    return schema.map(closed);
  }
  if (typeof schema !== "object" || schema === null) {
    return schema;
  }
  const members = Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === "properties"
        ? [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))]
        : [key, closed(value)],
    ),
  );
  return schema.properties !== undefined && schema.additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members;
}

const schemas = Object.fromEntries(Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(schema)]));

/** Those that `schema` leads to: the validator takes its time for each. */
function needed(schema, found = {}) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found[name] === undefined) {
      found[name] = schemas[name];
      needed(schemas[name], found);
    }
  }
  return found;
}

/** What of `value` does not fit, one text each. */
export function misfits(schema, value) {
  const { errors } = new Validator({ ...closed(schema), components: { schemas: needed(schema) } }, "2020-12", false).validate(value);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}
