import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** The exports of a TypeScript file below the repository root, bundled as the server embeds it. */
export function load(path) {
  const file = fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: "node",
    target: "node18",
    format: "cjs",
  });
  const module = { exports: {} };
  new Function("module", "exports", "require", outputFiles[0].text)(module, module.exports, createRequire(file));
  return module.exports;
}
