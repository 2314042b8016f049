import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Plugin, repository, temporary, toolchain } from "./builder.mjs";

let made = 0;

/** A builder without packages, and an `npm` that is this shell script; its runs are counted in the file "runs". */
function bare(script) {
  const directory = join(temporary, `bare-${++made}`);
  mkdirSync(join(directory, "bin"), { recursive: true });
  for (const file of ["build.mjs", "builder.mjs", "toolchain.mjs", "pins.json"]) {
    copyFileSync(join(toolchain, file), join(directory, file));
  }
  writeFileSync(join(directory, "bin/npm"), `#!/bin/sh\necho "$@" >> ${directory}/runs\n${script}\n`);
  chmodSync(join(directory, "bin/npm"), 0o755);
  return {
    directory,
    build(root, ...flags) {
      const { status, stdout } = spawnSync(process.execPath, [join(directory, "build.mjs"), "build", "--root", root, "--json", ...flags], {
        encoding: "utf8",
        env: { ...process.env, PATH: `${join(directory, "bin")}:${process.env.PATH}` },
      });
      return {
        status,
        lines: stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      };
    },
    runs: () => readFileSync(join(directory, "runs"), "utf8").trim().split("\n"),
  };
}

test("installs the pinned packages once", () => {
  const program = bare(`ln -s ${repository}/node_modules node_modules`);
  const kept = join(program.directory, "kept");
  const plugin = new Plugin();
  const first = program.build(plugin.root, "--toolchain", kept);
  assert.equal(first.status, 0);
  assert.match(first.lines[0].message, /installing the build toolchain/);
  assert.match(first.lines[1].message, /installed the build toolchain in \d+\.\d s/);
  const again = program.build(plugin.root, "--toolchain", kept);
  assert.equal(again.lines[0].target, "server");
  assert.deepEqual(program.runs(), ["install --ignore-scripts --no-package-lock --no-fund --no-audit"]);
  const [directory, ...others] = readdirSync(kept);
  assert.deepEqual(others, []);
  assert.deepEqual(
    JSON.parse(readFileSync(join(kept, directory, "svc-toolchain.json"), "utf8")),
    JSON.parse(readFileSync(join(repository, "modules/app/builder/pins.json"), "utf8")),
  );
});

test("a failed installation says why and leaves nothing", () => {
  const program = bare("echo 'no network' >&2; exit 7");
  const kept = join(program.directory, "kept");
  const { status, lines } = program.build(new Plugin().root, "--toolchain", kept);
  assert.equal(status, 3);
  assert.deepEqual(lines.at(-1), { type: "fatal", text: "the build toolchain cannot be installed: npm ended with 7: no network" });
  assert.deepEqual(readdirSync(kept), []);
});

test("without a place for it the installation is called incomplete", () => {
  const program = bare("exit 1");
  assert.match(program.build(new Plugin().root).lines[0].text, /packages of the build are missing/);
});

test("other versions than the pinned ones are not used", () => {
  const program = bare("exit 1");
  mkdirSync(join(program.directory, "node_modules/esbuild"), { recursive: true });
  writeFileSync(join(program.directory, "node_modules/esbuild/package.json"), `{"version":"0.1.0"}`);
  for (const name of ["tailwindcss", "@tailwindcss", "tw-animate-css"]) {
    symlinkSync(join(repository, "node_modules", name), join(program.directory, "node_modules", name));
  }
  assert.equal(program.build(new Plugin().root).lines[0].type, "fatal");
});
