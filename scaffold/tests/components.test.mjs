// The components that authors take into their plugins: the registry is complete, and each works in a plugin made from the template.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { buildRegistry, registryItems } from "../build_registry.mjs";
import { filesOf, installFromRepository, installSome, instantiate, kValues } from "./instantiate.mjs";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const directory = mkdtempSync(join(tmpdir(), "svc-components-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const plugin = join(directory, "plugin");
instantiate(plugin);
const ofTemplate = filesOf(plugin);
installFromRepository(plugin);
const items = registryItems();
for (const { path, content } of items.flatMap(({ files }) => files)) {
  mkdirSync(dirname(join(plugin, path)), { recursive: true });
  writeFileSync(join(plugin, path), content);
}
cpSync(join(root, "scaffold/registry/tests"), join(plugin, "tests"), { recursive: true });

test("every component of the template and of the registry is an item", () => {
  const files = items.flatMap((item) => item.files.map(({ path }) => path));
  const shared = ofTemplate.filter((path) => /^(components|hooks|lib)\//.test(path));
  const own = ["components/ui", "lib"].flatMap((folder) =>
    readdirSync(join(root, "scaffold/registry", folder)).map((name) => `${folder}/${name}`),
  );
  assert.deepEqual(files.sort(), [...shared, ...own].sort());
});

test("an item says what it needs, in the words of shadcn", () => {
  const { $schema, name, type, title, description, files, ...needs } = items.find((item) => item.name === "checkbox");
  assert.equal($schema, "https://ui.shadcn.com/schema/registry-item.json");
  assert.deepEqual([name, type, title], ["checkbox", "registry:ui", "Checkbox"]);
  assert.match(description, /^A box to check/);
  assert.deepEqual(
    files.map(({ path, type: kind }) => [path, kind]),
    [["components/ui/checkbox.tsx", "registry:ui"]],
  );
  assert.deepEqual(Object.keys(needs), ["dependencies", "devDependencies", "registryDependencies"]);
  assert.match(needs.dependencies.join(), /^@radix-ui\/react-checkbox@\^1\.\d+\.\d+,lucide-react@\^1\.\d+\.\d+$/);
  assert.deepEqual(needs.registryDependencies, ["@svc/icon", "@svc/utils"]);
  const utils = items.find((item) => item.name === "utils");
  assert.match(utils.devDependencies.join(), /^clsx@[\d.]+,tailwind-merge@[\d.]+$/);
  const table = items.find((item) => item.name === "table");
  assert.match(table.devDependencies.join(), /(^|,)react@19[\d.]+(,|$)/);
  assert.match(table.devDependencies.join(), /(^|,)@types\/react@\^19[\d.]+(,|$)/);
});

test("every package that a component imports is declared", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(plugin, "package.json"), "utf8"));
  for (const { files, ...item } of items) {
    for (const [, specifier] of files.flatMap(({ content }) => [...content.matchAll(/ from "((?!@\/|\.)[^"]+)";/g)])) {
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
      const known = [...item.dependencies, ...item.devDependencies].some((each) => each.startsWith(`${name}@`));
      assert.ok(known, `${item.name} needs ${name}`);
      assert.ok({ ...dependencies, ...devDependencies }[name], name);
    }
  }
});

test("the registry is a file for each item, and a list without their text", () => {
  const out = join(directory, "registry");
  buildRegistry(out);
  assert.deepEqual(readdirSync(out).sort(), [...items.map(({ name }) => `${name}.json`), "registry.json"].sort());
  assert.deepEqual(
    JSON.parse(readFileSync(join(out, "table.json"), "utf8")),
    items.find(({ name }) => name === "table"),
  );
  const list = JSON.parse(readFileSync(join(out, "registry.json"), "utf8"));
  // The command refuses a list without it.
  assert.equal(list.homepage, "/docs/guide/components.html");
  assert.deepEqual([list.name, list.items.map(({ name }) => name)], ["svc", items.map(({ name }) => name)]);
  assert.deepEqual(
    list.items.flatMap(({ files }) => files).filter((file) => "content" in file),
    [],
  );
});

test("components.json of the template names the registry of the service", () => {
  const { registries, tailwind } = JSON.parse(readFileSync(join(plugin, "components.json"), "utf8"));
  // A colour would be fetched from the command's own site.
  assert.equal(tailwind.baseColor, "");
  assert.deepEqual(registries, { "@svc": "http://127.0.0.1:4700/api/v1/registry/{name}.json" });
});

test("the guide shows each component", () => {
  const page = readFileSync(join(root, "docs/guide/components.md"), "utf8");
  for (const { name } of items.filter(({ type }) => type === "registry:ui")) {
    assert.ok(page.includes(`@/components/ui/${name}"`), `docs/guide/components.md imports ${name}`);
  }
});

test("their types are right", async () => {
  const { stdout } = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd: plugin }).catch(
    (failure) => failure,
  );
  assert.equal(stdout, "");
});

test("their types are right in a plugin without a page, with the packages that they declare", async () => {
  const service = join(directory, "service");
  instantiate(service, kValues, "service");
  for (const { path, content } of items.flatMap(({ files }) => files)) {
    mkdirSync(dirname(join(service, path)), { recursive: true });
    writeFileSync(join(service, path), content);
  }
  const { devDependencies } = JSON.parse(readFileSync(join(service, "package.json"), "utf8"));
  const declared = items.flatMap((item) => [...item.dependencies, ...item.devDependencies]).map((each) => each.replace(/(?<=.)@.*$/, ""));
  installSome(
    service,
    [...new Set([...Object.keys(devDependencies), ...declared])].filter((name) => name !== "@get-svc/plugin-sdk"),
  );
  const { stdout } = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd: service }).catch(
    (failure) => failure,
  );
  assert.equal(stdout, "");
});

test("their tests pass", async () => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1" };
  const {
    stdout,
    stderr,
    code = 0,
  } = await run(process.execPath, [vitest, "run", "tests/components.test.tsx"], { cwd: plugin, env }).catch((failure) => failure);
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.doesNotMatch(`${stdout}${stderr}`, /not wrapped in act|Warning:/);
});
