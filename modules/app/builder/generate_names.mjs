// Writes runtime_names.json: what each package that the app window supplies exports. Run it when one is upgraded, with
// the packages of sdk/package.json installed.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const sdk = fileURLToPath(new URL("../../../sdk/", here));

async function bundled(contents, external = []) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: sdk, loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    external,
    metafile: true,
    logLevel: "error",
    outdir: "out",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".css": "empty" },
  });
  return { text: outputFiles[0].text, exports: Object.values(metafile.outputs)[0].exports };
}

async function slots() {
  const { text } = await bundled(`export { RUNTIME_SLOT_BY_SPECIFIER } from "./src/runtime_slots.ts";`);
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)).RUNTIME_SLOT_BY_SPECIFIER;
}

/** Names of an ES module; a CommonJS one is asked. */
async function namesOf(specifier) {
  const source = specifier.replace(/^@get-svc\/plugin-sdk\/(.*)$/, "./src/$1.ts");
  const { exports } = await bundled(`export * from ${JSON.stringify(source)};`);
  if (exports.length > 0) {
    return exports;
  }
  return Object.keys(createRequire(`${sdk}package.json`)(specifier));
}

const isName = (name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default" && name !== "__esModule";

const out = {};
for (const specifier of Object.keys(await slots()).sort()) {
  process.env.NODE_ENV = "production";
  out[specifier] = (await namesOf(specifier)).filter(isName).sort();
}
const file = fileURLToPath(new URL("runtime_names.json", here));
const text = `${JSON.stringify(out, null, 1)}\n`;
if (process.argv.includes("--check")) {
  // The names of the SDK are read from what a plugin has installed; these are for a plugin without it.
  const packages = (names) => JSON.stringify(Object.entries(names).filter(([name]) => !name.startsWith("@get-svc/")));
  if (packages(JSON.parse(readFileSync(file, "utf8"))) !== packages(out)) {
    console.error("runtime_names.json is not what the packages export; run node modules/app/builder/generate_names.mjs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, text);
}
