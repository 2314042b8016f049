// The schema for editors says of a manifest what the service says of it; the service's side is in tests/unit/plugins/manifest_test.cpp.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Validator } from "@cfworker/json-schema";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const schema = read("../manifest.schema.json");
const { samples } = read("../../tests/fixtures/manifests/samples.json");
const validator = new Validator(schema, "7", false);
const kAccepted = new Set(["ok", "beyond"]);

for (const { what, verdict, manifest } of samples) {
  test(`${what}: ${verdict}`, () => {
    const { valid, errors } = validator.validate(manifest);
    assert.equal(valid, kAccepted.has(verdict), JSON.stringify(errors));
  });
}

test("the package has the schema", async () => {
  assert.deepEqual(read("../dist/manifest.schema.json"), schema);
  const { exports } = read("../package.json");
  assert.equal(exports["./manifest.schema.json"], "./dist/manifest.schema.json");
});

test("the schema needs no other document", () => {
  assert.deepEqual(
    [...JSON.stringify(schema).matchAll(/"\$ref":"([^#"][^"]*)"/g)].map(([, ref]) => ref),
    [],
  );
});
