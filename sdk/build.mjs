// Bundles every entry of the package: `node build.mjs [output directory]`. Each file stands alone, named like its subpath,
// because the server loads `dist/<subpath>.js` and nothing beside it.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "dist"));

/** Subpaths with code; the others have only types. */
const kEntries = ["index", "app", "icon", "host", "runtime-slots", "testing", "testing/app", "testing/host"].filter((entry) =>
  existsSync(join(here, "src", `${entry}.ts`)),
);
const kFakeHost = "testing";
/** Parts of the service ask for Node's own modules as in its environments. */
const kRequire = 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';
/** What the author's project supplies. */
const kExternal = ["node:*", "react", "react-dom", "@testing-library/react", "sonner"];

const bundle = (entryPoints, options = {}) =>
  build({
    absWorkingDir: here,
    entryPoints,
    outdir: out,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    external: kExternal,
    logLevel: "warning",
    ...options,
  });
await bundle(Object.fromEntries(kEntries.filter((entry) => entry !== kFakeHost).map((entry) => [entry, `src/${entry}.ts`])));
// The code is not beside the declarations: the fake host bundles parts of the service, and SQLite.
await bundle(
  { [kFakeHost]: "fake_host/index.ts" },
  { external: [...kExternal, "fs", "path", "crypto"], banner: { js: kRequire }, loader: { ".wasm": "base64" } },
);

// For programs that are not JavaScript: the same tables as data.
const { RUNTIME_SLOT_BY_SPECIFIER, RUNTIME_PACKAGE_VERSIONS } = await import(pathToFileURL(join(out, "runtime-slots.js")).href);
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const tables = { sdkVersion: version, runtimeSlotBySpecifier: RUNTIME_SLOT_BY_SPECIFIER, runtimePackageVersions: RUNTIME_PACKAGE_VERSIONS };
writeFileSync(join(out, "runtime-slots.json"), `${JSON.stringify(tables, null, 2)}\n`);

// For editors.
copyFileSync(join(here, "manifest.schema.json"), join(out, "manifest.schema.json"));
