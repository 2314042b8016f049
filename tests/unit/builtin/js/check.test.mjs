import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";

import { load } from "../../../support/js/bundle.mjs";

const { checkPlugin } = load("builtin/plugin-author/check.ts");
const kManifest = {
  name: "svc-plugin-tea",
  version: "0.1.0",
  type: "module",
  engines: { svc: ">=0.43" },
  svc: { server: "./server.ts" },
  devDependencies: { "@get-svc/plugin-sdk": "0.4.84" },
};
const made = [];

function plugin(files = {}, manifest = {}) {
  const root = mkdtempSync(join(tmpdir(), "svc-check-"));
  made.push(root);
  const all = {
    "package.json": JSON.stringify({ ...kManifest, ...manifest }),
    "server.ts": "export default () => undefined;",
    "tsconfig.json": "{}",
    ...files,
  };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

after(() => made.forEach((root) => rmSync(root, { recursive: true })));

describe("svc plugin-author check", () => {
  it("has nothing to say about a plugin that is right", () => {
    const root = plugin({ "skills/tea/SKILL.md": "---\nname: tea\ndescription: Makes tea\n---\n" });
    assert.deepEqual(checkPlugin(root), { id: "tea", problems: [], hints: [] });
  });

  const wrong = [
    ["a folder that is not there", () => "/nowhere/at/all", /is not there, or the server cannot read it/],
    ["a manifest that is no JSON", () => plugin({ "package.json": "{" }), /package.json cannot be read/],
    ["a name without an id", () => plugin({}, { name: "svc-plugin-" }), /gives the plugin no id/],
    ["no svc", () => plugin({}, { svc: undefined }), /svc is missing/],
    ["no server entry", () => plugin({}, { svc: {} }), /svc.server is missing/],
    ["an entry that is not there", () => plugin({}, { svc: { server: "./other.ts" } }), /names .\/other.ts, which is not there/],
    ["an entry outside", () => plugin({}, { svc: { server: "../server.ts" } }), /svc.server leaves the folder/],
    ["an entry without a default export", () => plugin({ "server.ts": "export const a = 1;" }), /has no default export/],
    ["a skill without a head", () => plugin({ "skills/tea/SKILL.md": "# Tea" }), /skills\/tea\/SKILL.md is missing, or does not begin/],
    ["a version that is none", () => plugin({}, { version: "1" }), /version must be a semantic version/],
  ];
  for (const [what, make, problem] of wrong) {
    it(`finds ${what}`, () => assert.match(checkPlugin(make()).problems.join("\n"), problem));
  }

  it("gives hints that keep nobody from installing", () => {
    const { problems, hints } = checkPlugin(plugin({}, { type: undefined, engines: undefined, devDependencies: undefined }));
    assert.deepEqual(problems, []);
    assert.equal(hints.length, 3);
  });

  const skipped = [
    [
      "another name",
      "name: coffee\ndescription: Makes tea",
      /^skills\/tea\/SKILL.md: name is "coffee", it must be that of the directory, "tea"; the service skips/,
    ],
    ["no name", "description: Makes tea", /: name is missing; the service skips this skill/],
    ["no description", "name: tea", /: description is missing; the service skips/],
    ["an empty description", "name: tea\ndescription:", /: description must say what the skill does/],
    ["a long description", `name: tea\ndescription: ${"x".repeat(1025)}`, /: description has 1025 characters, the limit is 1024;/],
  ];
  for (const [what, head, hint] of skipped) {
    it(`names a skill that is skipped: ${what}`, () => {
      const { problems, hints } = checkPlugin(plugin({ "skills/tea/SKILL.md": `---\n${head}\n---\n` }));
      assert.deepEqual([problems.length, hints.length], [0, 1]);
      assert.match(hints[0], hint);
    });
  }

  it("reads descriptions in quotes and over several lines", () => {
    const heads = ['name: "tea"\ndescription: >-\n  Makes\n  tea', "name: 'tea'\ndescription: Makes\n  tea"];
    for (const head of heads) {
      assert.deepEqual(checkPlugin(plugin({ "skills/tea/SKILL.md": `---\n${head}\n---\n` })).hints, []);
    }
  });

  const kSkill = { "skills/tea/SKILL.md": "---\nname: tea\ndescription: Makes tea\n---\n" };
  const packed = [
    ["nothing about it", {}, {}, []],
    [".gitignore", { ".gitignore": "node_modules\n/dist/\n" }, {}, [/npm leaves dist out .* \.gitignore lists it/]],
    [".npmignore in place of .gitignore", { ".gitignore": "dist", ".npmignore": "tests" }, {}, []],
    ["an exception", { ".gitignore": "dist\n!dist\n" }, {}, []],
    ["files", { ".gitignore": "dist/" }, { files: ["./dist/**", "skills/"] }, []],
    ["files with everything", {}, { files: ["*"] }, []],
    ["files without dist", {}, { files: ["skills"] }, [/npm leaves dist out .* "files" does not list it/]],
    ["files with an exception", {}, { files: ["*", "!dist"] }, [/npm leaves dist out/]],
    ["files without skills", {}, { files: ["dist/*.js"] }, [/npm leaves skills out/]],
  ];
  for (const [what, files, manifest, expected] of packed) {
    it(`knows what a package has: ${what}`, () => {
      const { problems, hints } = checkPlugin(plugin({ ...kSkill, ...files }, manifest));
      assert.deepEqual(problems, []);
      assert.equal(hints.length, expected.length, hints.join("\n"));
      expected.forEach((pattern, index) => assert.match(hints[index], pattern));
    });
  }
});
