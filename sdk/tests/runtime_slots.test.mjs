import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { RUNTIME_PACKAGE_VERSIONS, RUNTIME_SLOT_BY_SPECIFIER } from "@get-svc/plugin-sdk/runtime-slots";

const require = createRequire(import.meta.url);
const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const packageOf = (specifier) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

test("every slot belongs to a package with a version, and every property to one slot", () => {
  const packages = new Set(Object.keys(RUNTIME_SLOT_BY_SPECIFIER).map(packageOf));
  packages.delete("@get-svc/plugin-sdk");
  assert.deepEqual([...packages].sort(), Object.keys(RUNTIME_PACKAGE_VERSIONS).sort());
  const properties = Object.values(RUNTIME_SLOT_BY_SPECIFIER);
  assert.equal(new Set(properties).size, properties.length);
});

test("the versions are exact, exist and fit together", () => {
  for (const [name, version] of Object.entries(RUNTIME_PACKAGE_VERSIONS)) {
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(own.devDependencies[name], version, name);
    const directory = require.resolve.paths(name).map((path) => `${path}/${name}/package.json`);
    const found = directory.map((path) => tryRead(path)).find(Boolean);
    assert.equal(found.version, version, name);
  }
});

test("every specifier resolves", () => {
  for (const specifier of Object.keys(RUNTIME_SLOT_BY_SPECIFIER)) {
    assert.match(import.meta.resolve(specifier), /^file:/);
  }
});

test("programs that are not JavaScript find the same tables as data", () => {
  const data = JSON.parse(readFileSync(require.resolve("@get-svc/plugin-sdk/runtime-slots.json"), "utf8"));
  assert.deepEqual(data, {
    sdkVersion: own.version,
    runtimeSlotBySpecifier: { ...RUNTIME_SLOT_BY_SPECIFIER },
    runtimePackageVersions: { ...RUNTIME_PACKAGE_VERSIONS },
  });
});

function tryRead(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
