// Bundles every entry of the package: `node build.mjs [output directory]`. Each file stands alone, named like its subpath,
// because the server loads `dist/<subpath>.js` and nothing beside it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "dist"));

/** Subpaths with code; the others have only types. */
const kEntries = ["index", "app", "icon", "host", "runtime-slots", "testing", "testing/app", "testing/host"].filter((entry) =>
  existsSync(join(here, "src", `${entry}.ts`)),
);
/** Where the code is not beside the declarations: the fake host bundles parts of the service. */
const kElsewhere = { testing: "fake_host/index.ts" };
/** What the author's project supplies. */
const kExternal = ["node:*", "react", "react-dom", "@testing-library/react", "sonner", "better-sqlite3"];

await build({
  absWorkingDir: here,
  entryPoints: Object.fromEntries(kEntries.map((entry) => [entry, kElsewhere[entry] ?? `src/${entry}.ts`])),
  outdir: out,
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  external: kExternal,
  logLevel: "warning",
});

// For programs that are not JavaScript: the same tables as data.
const { RUNTIME_SLOT_BY_SPECIFIER, RUNTIME_PACKAGE_VERSIONS } = await import(pathToFileURL(join(out, "runtime-slots.js")).href);
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const tables = { sdkVersion: version, runtimeSlotBySpecifier: RUNTIME_SLOT_BY_SPECIFIER, runtimePackageVersions: RUNTIME_PACKAGE_VERSIONS };
writeFileSync(join(out, "runtime-slots.json"), `${JSON.stringify(tables, null, 2)}\n`);
