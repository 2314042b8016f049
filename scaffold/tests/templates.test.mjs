// Each small template is a plugin whose types and tests pass, under any name.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { filesOf, installSome, instantiate, kTemplates, kValues } from "./instantiate.mjs";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const directory = mkdtempSync(join(tmpdir(), "svc-templates-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const kPackages = ["zod", "typescript", "vitest", "@types/node"];
const folderOf = (template) => join(directory, template);
for (const template of kTemplates) {
  instantiate(folderOf(template), kValues, template);
}
// What a template does not declare it does not find: the folder above has what all of them may.
installSome(directory, kPackages);

const program = async (cwd, path, ...words) => {
  const env = { ...process.env, NO_COLOR: "1" };
  const { stdout, stderr, code = 0 } = await run(process.execPath, [join(root, path), ...words], { cwd, env }).catch((failure) => failure);
  assert.equal(code, 0, `${cwd}: ${stdout}${stderr}`);
  return stdout;
};

test("every placeholder is filled in, and the manifest declares what is there", () => {
  for (const template of kTemplates) {
    const files = filesOf(folderOf(template));
    for (const path of files) {
      assert.doesNotMatch(path + readFileSync(join(folderOf(template), path), "utf8"), /\{\{|\}\}/, `${template}: ${path}`);
    }
    const {
      svc,
      files: shipped,
      dependencies = {},
      devDependencies,
      ...manifest
    } = JSON.parse(readFileSync(join(folderOf(template), "package.json"), "utf8"));
    assert.equal(manifest.name, kValues.package);
    assert.equal(svc.name, kValues.title);
    assert.deepEqual(
      Object.keys({ ...dependencies, ...devDependencies }).filter((name) => ![...kPackages, "@get-svc/plugin-sdk"].includes(name)),
      [],
    );
    for (const entry of [svc.server, svc.host ?? svc.server]) {
      assert.ok(files.includes(entry.slice(2)) && shipped.includes(entry.slice(2)), `${template}: ${entry}`);
    }
    const code = files.filter((path) => path.endsWith(".ts")).map((path) => readFileSync(join(folderOf(template), path), "utf8"));
    assert.equal(
      code.some((text) => text.includes('from "zod"')),
      "zod" in dependencies,
      template,
    );
  }
});

test("the smallest one is read at a glance", () => {
  assert.ok(readFileSync(join(folderOf("minimal"), "server.ts"), "utf8").split("\n").length <= 21);
});

test("what plugins share is called by the name of the plugin", () => {
  assert.match(
    readFileSync(join(folderOf("agent"), "skills/weekly-report/SKILL.md"), "utf8"),
    /^---\nname: weekly-report\ndescription: .*Use when .*\n---\n/,
  );
  assert.match(readFileSync(join(folderOf("agent"), "server.ts"), "utf8"), /name: "weekly_report_remember"/);
});

test("their types are right", async () => {
  // One compiler reads what they share once.
  await program(directory, "node_modules/typescript/bin/tsc", "--build", ...kTemplates.map(folderOf));
});

test("their own tests pass", async () => {
  const stdout = await program(directory, "node_modules/vitest/vitest.mjs", "run");
  assert.match(stdout, /Test Files\s+6 passed/);
});
