// node compare.mjs <folder with node_modules/better-sqlite3>: whether the cases say what the package does. Not part of the
// test run, which must not need the package.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const Database = createRequire(`${resolve(process.argv[2])}/`)("better-sqlite3");
const { run } = createRequire(import.meta.url)("./harness.cjs");
const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "svc-cases-"));
for (const file of readdirSync(here).filter((name) => name.endsWith(".cjs") && name !== "harness.cjs")) {
  const { count, failures } = await run(join(here, file), Database, folder);
  console.log(`${file}: ${count - failures.length} of ${count}`);
  failures.forEach((failure) => console.log(`  ${failure}`));
  if (failures.length > 0) {
    process.exitCode = 1;
  }
}
rmSync(folder, { recursive: true });
