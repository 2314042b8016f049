import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a plugin `svc-plugin-<name>` below `dir` from the text of its server entry, or from a file. Resolves with its folder. */
export async function pluginFolder(dir, name, { text, file }) {
  const folder = join(dir, name);
  await mkdir(folder);
  const manifest = { name: `svc-plugin-${name}`, version: "1.0.0", type: "module", svc: { server: "server.ts" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await (file === undefined ? writeFile(join(folder, "server.ts"), text) : copyFile(file, join(folder, "server.ts")));
  return folder;
}

/** Runs `work(dir)` with a directory that is gone afterwards. */
export async function withFolder(work) {
  const dir = await mkdtemp(join(tmpdir(), "svc-growth-"));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
