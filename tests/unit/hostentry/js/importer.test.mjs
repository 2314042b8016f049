import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const folder = mkdtempSync(join(tmpdir(), "svc-importer-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const bundle = join(folder, "importer.cjs");
buildSync({
  entryPoints: [fileURLToPath(new URL("../../../../modules/hostentry/js/importer.ts", import.meta.url))],
  bundle: true,
  platform: "node",
  target: "node18",
  format: "cjs",
  outfile: bundle,
});

/** What the import of a module with this text gives, as JSON. Modules of vm need a flag of the process. */
function imported(text, files = {}) {
  writeFileSync(join(folder, "host.mjs"), text);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
  }
  const script = `
    require("node:util").addedByThePrelude = () => "added";
    require(${JSON.stringify(bundle)}).makeImporter()(${JSON.stringify(join(folder, "host.mjs"))}).then(
      async (module) => console.log(JSON.stringify({ value: await module.default })),
      (error) => console.log(JSON.stringify({ error: error.message, code: error.code })));`;
  return JSON.parse(execFileSync(process.execPath, ["--no-warnings", "--experimental-vm-modules", "-e", script], { encoding: "utf8" }));
}

describe("importer", () => {
  it("gives built-in modules as require does, with what was added to them", () => {
    const text = `import fs, { readFileSync } from "fs"; import * as path from "node:path"; import { addedByThePrelude } from "node:util";
      export default [fs.readFileSync === readFileSync, path.join("a", "b"), path.default.sep, addedByThePrelude()];`;
    assert.deepEqual(imported(text), { value: [true, "a/b", "/", "added"] });
  });

  it("sets import.meta and gives require what the build relies on", () => {
    const text = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);
      export default [import.meta.filename, import.meta.dirname, require("path").basename(import.meta.url)];`;
    assert.deepEqual(imported(text), { value: [join(folder, "host.mjs"), folder, "host.mjs"] });
  });

  it("imports dynamically: built-in modules and files", () => {
    const text = `export default (async () => [(await import("node:os")).EOL, (await import("./other.mjs")).one, (await import("./data.json")).default.two])();`;
    assert.deepEqual(imported(text, { "other.mjs": "export const one = 1;", "data.json": '{"two":2}' }), { value: ["\n", 1, 2] });
  });

  it("supports top-level await", () => {
    assert.deepEqual(imported("export default await Promise.resolve(5);"), { value: 5 });
  });

  it("says that packages are not there", () => {
    assert.deepEqual(imported('import "left-pad"; export default 1;'), {
      error: "Cannot find package 'left-pad': a host entry brings what it uses, nothing is installed on the machine",
      code: "ERR_MODULE_NOT_FOUND",
    });
  });

  it("passes on what the module throws", () => {
    assert.equal(imported('throw new Error("at load");').error, "at load");
  });
});
