/**
 * What goes into a bundle: the author's sources, and every dependency that Node would load as an ES module. What Node
 * would load as CommonJS is left to `require` at run time, by absolute path, so that there is one copy of it.
 */
import type { Loader, OnLoadArgs, OnLoadResult, Plugin } from "esbuild";

declare const require: NodeJS.Require;

const fs = require("node:fs") as typeof import("node:fs");
const path = require("node:path") as typeof import("node:path");
const url = require("node:url") as typeof import("node:url");

const kSdk = "@get-svc/plugin-sdk";
const kExternal = "svc-external:";
/** Tells the bundler that a file's positions are not to be mapped. */
const kNoMap =
  "\n//# sourceMappingURL=data:application/json;base64," +
  Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString("base64");

/** As long as `import`, so that columns stay right. */
const kImport = "__svci";

/** Where a file has an `import(…)` whose target is known at run time only: line from 1, column in bytes from 0. */
export type RuntimeImports = Map<string, { line: number; column: number }[]>;

export function bundleRules(share: string, inputs: Set<string>, runtimeImports: RuntimeImports): Plugin {
  return {
    name: "svc",
    setup(build) {
      const packageTypes = new Map<string, "module" | "commonjs">();
      build.onResolve({ filter: /^@get-svc\/plugin-sdk(\/|$)/ }, ({ path: specifier }) => ({
        path: path.join(share, "sdk", "dist", `${specifier.slice(kSdk.length + 1) || "index"}.js`),
      }));
      build.onResolve({ filter: /^svc-external:/ }, ({ path: specifier }) => ({
        path: specifier.slice(kExternal.length),
        external: true,
      }));
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async (args) => {
        const loaded = await load(args, packageTypes, inputs);
        const places = runtimeImports.get(args.path);
        return places ? anchorImports(args.path, loaded, places) : loaded;
      });
      build.onLoad({ filter: /\.node$/, namespace: "file" }, ({ path: file }) => external(file));
    },
  };
}

async function load(
  { path: file }: OnLoadArgs,
  packageTypes: Map<string, "module" | "commonjs">,
  inputs: Set<string>,
): Promise<OnLoadResult | undefined> {
  const isDependency = file.includes("/node_modules/");
  if (isDependency && isCommonJs(file, packageTypes)) {
    return external(file);
  }
  inputs.add(file);
  const source = await fs.promises.readFile(file, "utf8");
  const usesModule = /\bimport\s*\.\s*meta\b|\b__dirname\b|\b__filename\b/.test(source);
  if (!isDependency && !usesModule) {
    return undefined;
  }
  // On the first line, so that positions in the source stay right.
  const head = usesModule ? moduleConstants(file, source) : "";
  return {
    contents: head + (head === "" ? source : source.replace(/^#!.*/, "")) + (isDependency ? kNoMap : ""),
    loader: loaderOf(file),
    resolveDir: path.dirname(file),
  };
}

/** Lets `import(…)` of a computed target start at this file, as if the file were not part of a bundle. */
async function anchorImports(
  file: string,
  loaded: OnLoadResult | undefined,
  places: { line: number; column: number }[],
): Promise<OnLoadResult> {
  const source = (loaded?.contents as string | undefined) ?? (await fs.promises.readFile(file, "utf8"));
  const lines = source.split("\n").map((line) => Buffer.from(line));
  for (const { line, column } of places) {
    const text = lines[line - 1];
    if (text?.toString("utf8", column, column + kImport.length) === "import") {
      text.write(kImport, column);
    }
  }
  const text = lines.join("\n").replace(/^#!.*/, "");
  const head = `const ${kImport} = globalThis[Symbol.for("svc.import")](${JSON.stringify(file)}); `;
  return { ...loaded, contents: head + text, loader: loaderOf(file), resolveDir: path.dirname(file) };
}

function external(file: string): OnLoadResult {
  return { contents: `module.exports = require(${JSON.stringify(kExternal + file)})`, loader: "js" };
}

/** `__svc_module` takes the place of import.meta, and of __dirname and __filename, in this file. */
function moduleConstants(file: string, source: string): string {
  const text = JSON.stringify;
  const fields = [
    `url: ${text(url.pathToFileURL(file).href)}`,
    `filename: ${text(file)}`,
    `dirname: ${text(path.dirname(file))}`,
  ];
  if (/\bimport\s*\.\s*meta\b(?!\s*\.\s*(?:url|dirname|filename)\b)/.test(source)) {
    fields.push(
      `resolve: (to) => require("node:url").pathToFileURL(require("node:module").createRequire(${text(file)}).resolve(to)).href`,
    );
  }
  return `const __svc_module = { ${fields.join(", ")} }; `;
}

function loaderOf(file: string): Loader {
  const extension = path.extname(file);
  if (extension === ".tsx") {
    return "tsx";
  }
  if (extension === ".jsx") {
    return "jsx";
  }
  return /^\.[cm]?ts$/.test(extension) ? "ts" : "js";
}

/** Node's rule for a file in node_modules; TypeScript, which Node would not load at all, counts as ours. */
function isCommonJs(file: string, packageTypes: Map<string, "module" | "commonjs">): boolean {
  switch (path.extname(file)) {
    case ".cjs":
      return true;
    case ".js":
      return packageType(path.dirname(file), packageTypes) === "commonjs";
    default:
      return false;
  }
}

function packageType(folder: string, known: Map<string, "module" | "commonjs">): "module" | "commonjs" {
  let type = known.get(folder);
  if (type === undefined) {
    type = readPackageType(folder) ?? inheritedType(folder, known);
    known.set(folder, type);
  }
  return type;
}

function inheritedType(folder: string, known: Map<string, "module" | "commonjs">): "module" | "commonjs" {
  const parent = path.dirname(folder);
  return path.basename(folder) === "node_modules" || parent === folder ? "commonjs" : packageType(parent, known);
}

function readPackageType(folder: string): "module" | "commonjs" | undefined {
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder, "package.json"), "utf8");
  } catch {
    return undefined;
  }
  return (JSON.parse(text) as { type?: string }).type === "module" ? "module" : "commonjs";
}
