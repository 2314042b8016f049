import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";

import { load } from "../../../support/js/bundle.mjs";

const { checkPlugin } = load("builtin/plugin-author/check.ts");
const { readFindings } = load("builtin/plugin-author/entries.ts");
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

/** With a service and a build that find nothing. */
const check = (root) =>
  checkPlugin(root, {
    inspect: async () => ({ id: "tea", problems: [], warnings: [] }),
    build: async () => ({ problems: [], hints: [] }),
  });

after(() => made.forEach((root) => rmSync(root, { recursive: true })));

describe("svc plugin-author check", () => {
  it("has nothing to say about a plugin that is right", async () => {
    assert.deepEqual(await check(plugin()), { id: "tea", problems: [], hints: [] });
  });

  it("says what the service and the build say", async () => {
    const root = plugin();
    const asked = [];
    const found = await checkPlugin(root, {
      inspect: async (each) => {
        asked.push(each);
        return { id: "tea", problems: ["needs svc >=9"], warnings: ["svc.skilz: unknown key"] };
      },
      build: async (each) => {
        asked.push(each);
        return { problems: ["server.ts:1:2: Unexpected end"], hints: ["app.tsx: unused"] };
      },
    });
    assert.deepEqual(asked, [root, root]);
    assert.deepEqual(found, {
      id: "tea",
      problems: ["needs svc >=9", "server.ts:1:2: Unexpected end"],
      hints: ["svc.skilz: unknown key", "app.tsx: unused"],
    });
  });

  it("builds nothing of a folder whose manifest the service does not take", async () => {
    const inspect = async () => ({ id: null, problems: ["plugin directory not found"], warnings: [] });
    const build = () => assert.fail("it was built");
    assert.deepEqual(await checkPlugin("/nowhere/at/all", { inspect, build }), {
      id: "",
      problems: ["plugin directory not found"],
      hints: [],
    });
  });

  it("finds an entry without a default export", async () => {
    const root = plugin({ "server.ts": "export const a = 1;" });
    assert.deepEqual((await check(root)).problems, ["./server.ts has no default export"]);
    assert.deepEqual((await check(plugin({ "server.ts": "const a = 1;\nexport { a as default };" }))).problems, []);
  });

  it("takes any version", async () => {
    assert.deepEqual((await check(plugin({}, { version: "dev" }))).problems, []);
  });

  it("gives hints that keep nobody from installing", async () => {
    const { problems, hints } = await check(plugin({}, { type: undefined, engines: undefined, devDependencies: undefined }));
    assert.deepEqual(problems, []);
    assert.equal(hints.length, 3);
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
    it(`knows what a package has: ${what}`, async () => {
      const { problems, hints } = await check(plugin({ ...kSkill, ...files }, manifest));
      assert.deepEqual(problems, []);
      assert.equal(hints.length, expected.length, hints.join("\n"));
      expected.forEach((pattern, index) => assert.match(hints[index], pattern));
    });
  }
});

describe("what the builder says", () => {
  const lines = (...all) => all.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

  it("is a problem for each error, with its place, and a hint for each warning", () => {
    const error = { type: "error", target: "server", text: "Unexpected end", file: "server.ts", line: 3, column: 7 };
    const warning = { type: "warning", target: "app", text: "odd", file: "app.tsx" };
    assert.deepEqual(readFindings(lines("noise", error, error, warning, { type: "done", ok: false }), "ended with 1"), {
      problems: ["server.ts:3:7: Unexpected end"],
      hints: ["app.tsx: odd"],
    });
  });

  it("is a hint when nothing could be built", () => {
    assert.deepEqual(readFindings(lines({ type: "fatal", text: "Node.js is too old" }), "ended with 3").hints, [
      "the entries were not built: Node.js is too old",
    ]);
    assert.deepEqual(readFindings("", "spawn node ENOENT").hints, ["the entries were not built: spawn node ENOENT"]);
  });
});
