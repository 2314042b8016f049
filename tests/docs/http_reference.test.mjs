// docs/http/openapi.json describes every route of the sources, is OpenAPI 3.1 by its shape, and docs/http-api.md is written from it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { pageOf } from "../../docs/http/page.mjs";
import { root } from "./guide_examples.mjs";
import { document, operations, resolve } from "./http_document.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

/** Patterns of routes that the sources have as they are served; others are put together from pieces. */
const literals = new Set(
  readdirSync(join(root, "modules"), { recursive: true })
    .filter((file) => file.endsWith(".cpp"))
    .flatMap((file) => registrations(read(`modules/${file}`))),
);

/** `{"GET", "/path"`, `.pattern = "/path"`, `kPattern = "/path"`, and the tables of routes with one method. */
function registrations(text) {
  const found = [...text.matchAll(/"(?:GET|PUT|POST|PATCH|DELETE)",\s*"(\/[\w./:*-]*)"|[pP]attern = "(\/[\w./:*-]*)"[,;}\n ]/g)];
  const tables = [...text.matchAll(/Entry\{"(\/[\w./:-]*)"/g)];
  return [...found, ...tables].map(([, one, other]) => one ?? other).filter((pattern) => !pattern.endsWith("/"));
}

const patterns = new Set(operations.map(({ pattern }) => pattern));
const internal = new Set(document["x-svc-internal"].patterns);

test("every route of the sources is described, those of daemons by name", () => {
  assert.ok(literals.size > 150, `only ${literals.size} were found`);
  const served = [...literals].filter((pattern) => /^\/(api|internal)\/|^\/(ws|healthz|readyz|metrics)$/.test(pattern));
  assert.deepEqual(
    served.filter((pattern) => !patterns.has(pattern) && !internal.has(pattern)),
    [],
  );
});

test("every route that is described is one of the sources", () => {
  // What is put together: the pieces are there. That the whole is served is asked of a server (http_answers.test.mjs).
  const sources = readdirSync(join(root, "modules"), { recursive: true })
    .filter((file) => file.endsWith(".cpp") || file.endsWith(".h"))
    .map((file) => read(`modules/${file}`))
    .join("\n");
  const isPiece = (last) => sources.includes(`"${last}"`) || sources.includes(`/${last}"`) || sources.includes(`${last}"`);
  const missing = [...patterns, ...internal].filter((pattern) => !literals.has(pattern) && !isPiece(pattern.split("/").at(-1)));
  assert.deepEqual(missing, []);
});

const kKeys = {
  root: ["openapi", "info", "servers", "security", "tags", "paths", "components", "x-svc-internal"],
  operation: ["operationId", "tags", "summary", "description", "parameters", "requestBody", "responses", "security", "deprecated"],
  parameter: ["name", "in", "required", "description", "schema"],
  requestBody: ["description", "required", "content"],
  response: ["description", "content", "headers"],
  mediaType: ["schema", "example"],
  schema: [
    "$ref",
    "type",
    "const",
    "enum",
    "description",
    "default",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "anyOf",
  ].concat(["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"]),
};

function hasOnly(value, kind, where) {
  const known = (key) => kKeys[kind].includes(key) || (key.startsWith("x-") && kind !== "schema");
  assert.deepEqual(
    Object.keys(value).filter((key) => !known(key)),
    [],
    where,
  );
}

function checkSchema(schema, where) {
  assert.ok(typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema)), where);
  if (typeof schema === "boolean") {
    return;
  }
  hasOnly(schema, "schema", where);
  assert.ok(schema.$ref === undefined || resolve(schema) !== undefined, `${where}: ${schema.$ref}`);
  for (const type of [schema.type ?? []].flat()) {
    assert.ok(["object", "array", "string", "integer", "number", "boolean", "null"].includes(type), `${where}: ${type}`);
  }
  for (const name of schema.required ?? []) {
    assert.ok(schema.properties?.[name] !== undefined, `${where}: required, but no property: ${name}`);
  }
  const below = [...Object.entries(schema.properties ?? {}), ...(schema.anyOf ?? []).map((each, at) => [at, each])];
  for (const key of ["items", "additionalProperties"]) {
    below.push(...(schema[key] === undefined ? [] : [[key, schema[key]]]));
  }
  below.forEach(([key, each]) => checkSchema(each, `${where}/${key}`));
}

function checkContent(content, where) {
  for (const [type, media] of Object.entries(content ?? {})) {
    assert.match(type, /^[\w*]+\/[\w*.+-]+$/, where);
    hasOnly(media, "mediaType", where);
    if (media.schema !== undefined) {
      checkSchema(media.schema, where);
    }
  }
}

test("the document is OpenAPI 3.1", () => {
  assert.match(document.openapi, /^3\.1\.\d$/);
  hasOnly(document, "root", "the document");
  assert.ok(document.info.title && document.info.version);
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length, "operationId");
  Object.entries(document.components.schemas).forEach(([name, schema]) => checkSchema(schema, name));
  for (const { method, path, operation } of operations) {
    const where = `${method} ${path}`;
    hasOnly(operation, "operation", where);
    assert.ok(operation.tags.length === 1 && document.tags.some(({ name }) => name === operation.tags[0]), `${where}: tags`);
    const parameters = (operation.parameters ?? []).map(resolve);
    for (const parameter of parameters) {
      hasOnly(parameter, "parameter", where);
      assert.ok(["path", "query", "header"].includes(parameter.in) && parameter.description, `${where}: ${parameter.name}`);
      checkSchema(parameter.schema, `${where} ${parameter.name}`);
    }
    const inPath = parameters.filter((each) => each.in === "path");
    assert.deepEqual(
      inPath.map(({ name }) => name),
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      where,
    );
    assert.ok(
      inPath.every(({ required }) => required === true),
      where,
    );
    if (operation.requestBody !== undefined) {
      hasOnly(operation.requestBody, "requestBody", where);
      checkContent(operation.requestBody.content, where);
    }
    assert.ok(
      Object.keys(operation.responses).every((status) => /^([1-5]\d\d|2XX|default)$/.test(status)),
      where,
    );
    for (const response of Object.values(operation.responses).map(resolve)) {
      hasOnly(response, "response", where);
      assert.ok(response.description, where);
      checkContent(response.content, where);
    }
  }
});

test("what is named is used, and what is used has a name", () => {
  const text = JSON.stringify(document);
  for (const [kind, all] of Object.entries(document.components)) {
    for (const name of Object.keys(all)) {
      const isUsed = kind === "securitySchemes" ? text.includes(`{"${name}":[]}`) : text.includes(`"#/components/${kind}/${name}"`);
      assert.ok(isUsed, `${kind}/${name} is not used`);
    }
  }
});

test("codes of failures have the status that they are answered with", () => {
  const statuses = new Map([...read("docs/errors.md").matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, status]));
  for (const { method, path, operation } of operations) {
    for (const [status, { $ref, description }] of Object.entries(operation.responses)) {
      const codes = $ref === undefined ? [] : [...(description ?? "").matchAll(/(?:^|; )`(\w+)`: /g)].map(([, code]) => code);
      codes.forEach((code) => assert.equal(statuses.get(code), status, `${method} ${path}: ${code}`));
    }
  }
});

test("the version is that of the server", () => {
  assert.equal(document.info.version, /^project\(svc VERSION ([\d.]+)/m.exec(read("CMakeLists.txt"))[1]);
});

test("the page is written from the document", () => {
  const page = read("docs/http-api.md");
  assert.ok(page === pageOf(document, page), "docs/http-api.md is out of date: node docs/http/page.mjs");
});
