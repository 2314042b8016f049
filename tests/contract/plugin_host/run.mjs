// `node run.mjs [SVC_BIN_DIR]`: the cases are TypeScript, so they are translated first; folder of the programs by default build/dev/bin.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const binaries = resolve(process.argv[2] ?? process.env.SVC_BIN_DIR ?? join(root, "build/dev/bin"));
const sdk = process.env.SVC_SDK_DIR ?? join(binaries, "../share/svc/sdk");
for (const needed of [join(binaries, "svcd"), join(sdk, "dist/testing.js")]) {
  if (!existsSync(needed)) {
    console.error(`${needed} is missing: build first, or name the folder of the programs`);
    process.exit(2);
  }
}
const folder = mkdtempSync(join(root, "node_modules/.contract-"));
try {
  const outfile = join(folder, "plugin_host.test.mjs");
  buildSync({
    entryPoints: [join(here, "plugin_host.test.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node18",
    format: "esm",
    logLevel: "warning",
    sourcemap: "inline",
    // The SDK that belongs to the programs.
    alias: { "@get-svc/plugin-sdk/testing": join(sdk, "dist/testing.js"), "@get-svc/plugin-sdk": join(sdk, "dist/index.js") },
  });
  const env = { ...process.env, SVC_BIN_DIR: binaries, CONTRACT_DIR: here };
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", outfile], { stdio: "inherit", cwd: root, env });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
