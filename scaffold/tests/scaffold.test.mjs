import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build } from "esbuild";
import { RUNTIME_PACKAGE_VERSIONS, RUNTIME_SLOT_BY_SPECIFIER } from "@get-svc/plugin-sdk/runtime-slots";

import { filesOf, installFromRepository, instantiate, kValues } from "./instantiate.mjs";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const directory = mkdtempSync(join(tmpdir(), "svc-scaffold-"));
after(() => rmSync(directory, { recursive: true, force: true }));
instantiate(directory);
const files = filesOf(directory);
const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
installFromRepository(directory);

// The service that the server entry shows in a comment is made part of the plugin, so that its types are checked.
const server = readFileSync(join(directory, "server.ts"), "utf8");
const [, kImport] = /It needs: (import .*)/.exec(server);
const kService = server.replace(/^  \/\/ (svc\.background.*?^  \/\/ \}\);)$/ms, (_whole, code) => code.replaceAll(/^  \/\/ /gm, ""));
writeFileSync(join(directory, "server_with_service.ts"), `${kImport}\n${kService}`);

test("the files of the scaffold are there, with every placeholder filled in", () => {
  assert.deepEqual(
    files.filter((path) => !path.includes("/")),
    [".gitignore", "README.md", "app.tsx", "components.json", "package.json", "server.ts", "tsconfig.json", "vitest.config.ts"],
  );
  assert.deepEqual(
    files.filter((path) => path.includes("/")),
    [
      ...["button", "card", "checkbox", "dialog", "drawer", "icon", "input", "responsive-overlay"].map(
        (name) => `components/ui/${name}.tsx`,
      ),
      ...["use-coarse-pointer", "use-compact-viewport", "use-media-query"].map((name) => `hooks/${name}.ts`),
      "lib/portal-scope.ts",
      "lib/utils.ts",
      `skills/${kValues.skill}/SKILL.md`,
      "tests/app.test.tsx",
      "tests/server.test.ts",
    ],
  );
  for (const path of files) {
    assert.doesNotMatch(readFileSync(join(directory, path), "utf8"), /\{\{|\}\}/, path);
  }
  assert.equal(readFileSync(join(directory, ".gitignore"), "utf8"), "dist/\nnode_modules/\n");
});

test("the manifest names the plugin, its entries and what it needs", () => {
  const { devDependencies, dependencies, scripts, ...rest } = manifest;
  assert.deepEqual(rest, {
    name: kValues.package,
    version: "0.1.0",
    description: "A todo list shared by people and agents.",
    private: true,
    type: "module",
    files: ["dist", "server.ts", "app.tsx", "components", "hooks", "lib", "skills"],
    engines: { svc: kValues.svc_range, svcPluginSdk: kValues.sdk_range },
    svc: {
      name: kValues.title,
      description: "A todo list shared by people and agents.",
      branding: { icon: "ListTodo" },
      server: "./server.ts",
      app: "./app.tsx",
    },
  });
  assert.deepEqual(Object.keys(dependencies), ["@radix-ui/react-checkbox", "@radix-ui/react-slot", "lucide-react", "zod"]);
  assert.deepEqual(scripts, { dev: "svc plugin dev", build: "svc plugin build", typecheck: "tsc --noEmit", test: "vitest run" });
  assert.equal(devDependencies["@get-svc/plugin-sdk"], kValues.sdk_version);
  assert.deepEqual(Object.fromEntries(Object.keys(RUNTIME_PACKAGE_VERSIONS).map((name) => [name, devDependencies[name]])), {
    ...RUNTIME_PACKAGE_VERSIONS,
  });
});

test("every declared package is one that the repository checks the scaffold with", () => {
  for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const { version } = JSON.parse(readFileSync(join(directory, "node_modules", name, "package.json"), "utf8"));
    // A range starts at a version of the major that is tested here.
    range.startsWith("^") ? assert.equal(range.slice(1).split(".")[0], version.split(".")[0], name) : assert.equal(range, version, name);
  }
});

test("the service in the comment of the server entry is code", () => {
  assert.match(kService, /^svc\.background\.service\("tidy", \{\n  async start\(signal\)/m);
});

test("the skill has a name and says when to use it", () => {
  const text = readFileSync(join(directory, `skills/${kValues.skill}/SKILL.md`), "utf8");
  assert.match(text, /^---\nname: weekly-report\ndescription: .*Use when .*\n---\n/);
  assert.ok(text.includes(`\`svc ${kValues.id} list\``));
});

const kCompilers = {
  "TypeScript 5": [process.execPath, join(root, "node_modules/typescript/bin/tsc")],
  "TypeScript 7": [join(root, `node_modules/@typescript/typescript-linux-${process.arch}/lib/tsc`)],
};
for (const [name, [command, ...args]] of Object.entries(kCompilers)) {
  test(`its types are right for ${name}`, { skip: !existsSync(command) && "not installed for this machine" }, async () => {
    const { stdout } = await run(command, [...args, "--noEmit"], { cwd: directory }).catch((failure) => failure);
    assert.equal(stdout, "");
  });
}

test("the page bundles with what the window supplies left out, and without server code", async () => {
  const { metafile, errors, warnings, outputFiles } = await build({
    entryPoints: [join(directory, "app.tsx")],
    absWorkingDir: directory,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    minify: true,
    metafile: true,
    write: false,
    outdir: join(directory, "dist"),
    external: Object.keys(RUNTIME_SLOT_BY_SPECIFIER),
    logLevel: "silent",
  });
  assert.deepEqual([errors, warnings], [[], []]);
  const [output] = Object.values(metafile.outputs);
  assert.deepEqual(
    [...new Set(output.imports.map(({ path }) => path))].filter((path) => !Object.hasOwn(RUNTIME_SLOT_BY_SPECIFIER, path)),
    [],
  );
  const inputs = Object.keys(metafile.inputs);
  assert.deepEqual(
    inputs.filter((path) => /server\.ts|\/zod\/|\/react\/|\/react-dom\//.test(path)),
    [],
  );
  assert.ok(inputs.length < 60, `${inputs.length} files are read to build the page`);
  assert.ok(outputFiles[0].contents.length < 64 * 1024, `${outputFiles[0].contents.length} bytes`);
});

test("its own tests pass", async () => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const {
    stdout,
    stderr,
    code = 0,
  } = await run(process.execPath, [vitest, "run"], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: "1" },
  }).catch((failure) => failure);
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.match(stdout, /Test Files\s+2 passed/);
  assert.doesNotMatch(`${stdout}${stderr}`, /not wrapped in act|Warning:/);
});
