import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { installFromRepository, installSome } from "../../scaffold/tests/instantiate.mjs";

// Projects as authors have them: the package is installed, nothing of it is linked, and declarations are checked too.

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { exports } = JSON.parse(readFileSync(join(root, "sdk/package.json"), "utf8"));

const kCompilers = {
  "TypeScript 5": [process.execPath, join(root, "node_modules/typescript/bin/tsc")],
  "TypeScript 7": [join(root, `node_modules/@typescript/typescript-linux-${process.arch}/lib/tsc`)],
};
const kOptions = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  // The declarations that come with the compiler are not ours to check, and take most of the time.
  skipDefaultLibCheck: true,
  noEmit: true,
};
/** Entries that need no document compile where there is none. */
const kBrowser = ["./app", "./icon", "./testing/app"];
const subpaths = Object.keys(exports).filter((subpath) => !subpath.endsWith(".json"));

function consumer(install) {
  const directory = mkdtempSync(join(tmpdir(), "svc-sdk-consumer-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  install(directory);
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
  return directory;
}

/** What a plugin without an app entry has: nothing of React. */
const serverOnly = consumer((directory) => installSome(directory, ["@types/node"]));
const complete = consumer(installFromRepository);

function project(directory, name, chosen, options) {
  const source = chosen.map((subpath, index) => `export * as e${index} from "@get-svc/plugin-sdk${subpath.slice(1)}";\n`).join("");
  writeFileSync(join(directory, `${name}.ts`), source);
  writeFileSync(
    join(directory, `tsconfig.${name}.json`),
    JSON.stringify({ compilerOptions: { ...kOptions, ...options }, files: [`${name}.ts`] }),
  );
  return join(directory, `tsconfig.${name}.json`);
}

const server = subpaths.filter((subpath) => !kBrowser.includes(subpath));
const kBundler = { module: "ESNext", moduleResolution: "bundler" };
const kNode = { module: "NodeNext", moduleResolution: "nodenext" };
const kProjects = {
  "the server side, without a document and without React": project(serverOnly, "server", server, {
    ...kBundler,
    lib: ["ES2023"],
    types: ["node"],
  }),
  "the app side, without Node": project(complete, "app", ["./app", "./icon", "./testing/app", "./runtime-slots"], {
    ...kBundler,
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    types: [],
  }),
  "everything, resolved as Node does": project(complete, "node", subpaths, {
    ...kNode,
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    types: ["node"],
  }),
};

// How modules are resolved does not depend on the compiler's version; the quick one checks it.
const kOnlyQuick = "everything, resolved as Node does";

for (const [compiler, [command, ...args]] of Object.entries(kCompilers)) {
  for (const [name, config] of Object.entries(kProjects)) {
    if (name === kOnlyQuick && compiler === "TypeScript 5") {
      continue;
    }
    test(`${compiler} compiles ${name}`, { skip: !existsSync(command) && "not installed for this machine" }, async () => {
      const { stdout } = await run(command, [...args, "-p", config]).catch((failure) => failure);
      assert.equal(stdout, "");
    });
  }
}
