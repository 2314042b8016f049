import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { it } from "node:test";

const here = dirname(fileURLToPath(import.meta.url));

it("the fake host works in Vitest", () => {
  const vitest = join(here, "../../node_modules/vitest/vitest.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "--root", join(here, "vitest")], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /Tests {2}1 passed/);
});
