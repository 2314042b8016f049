// The programs in C that scenarios take, so that the client is not what is measured.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { source } from "./paths.mjs";

function build(dir, name, file) {
  const program = join(dir, name);
  const built = spawnSync("cc", ["-O2", "-o", program, source(file)], { encoding: "utf8" });
  if (built.status !== 0) {
    throw new Error(`cannot build bench/${file}:\n${built.error ?? built.stderr}`);
  }
  return program;
}

/** Runs `work(programs)` with the programs that are made of these files below bench/, under the same names. */
export async function withPrograms(files, work) {
  const dir = mkdtempSync(join(tmpdir(), "svc-programs-"));
  try {
    return await work(Object.fromEntries(Object.entries(files).map(([name, file]) => [name, build(dir, name, file)])));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
