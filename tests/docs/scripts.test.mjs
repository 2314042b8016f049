// `scripts/<any> --help` says what it does and takes, and does nothing of it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { root } from "./guide_examples.mjs";

// `tsc` is the compiler, with the options of the compiler.
const names = readdirSync(join(root, "scripts"), { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== "tsc")
  .map((entry) => entry.name);

for (const name of names) {
  test(`scripts/${name} says what it does and takes`, () => {
    for (const option of ["--help", "-h"]) {
      const { status, stdout, stderr } = spawnSync(join(root, "scripts", name), [option], { cwd: "/", encoding: "utf8" });
      assert.equal(status, 0, stderr);
      // What works says so on stderr, each step.
      assert.equal(stderr, "");
      assert.match(stdout, new RegExp(`^scripts/${name}\n\n\\S`));
      assert.doesNotMatch(stdout, /shellcheck|^#/m);
    }
  });
}
