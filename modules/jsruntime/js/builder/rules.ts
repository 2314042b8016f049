/**
 * What goes into a bundle: the author's sources, and every dependency that Node would load as an ES module, here or in a
 * text of its own (dependencies.ts). What Node would load as CommonJS is left to `require` at run time, by absolute path,
 * so that there is one copy of it.
 */
import type { Loader, OnLoadArgs, OnLoadResult, Plugin, PluginBuild } from "esbuild";
import { kDefaultName, knownStub, listModules, ofEnvironment, takeKnownModules } from "./module_table.js";
import { anchorImports, type RuntimeImports } from "./runtime_imports.js";

declare const require: NodeJS.Require;

const fs = require("node:fs") as typeof import("node:fs");
const path = require("node:path") as typeof import("node:path");
const url = require("node:url") as typeof import("node:url");

const kSdk = "@get-svc/plugin-sdk";
const kExternal = "svc-external:";
const kShared = "svc-dependency:";
/** Tells the bundler that a file's positions are not to be mapped. */
const kNoMap =
  "\n//# sourceMappingURL=data:application/json;base64," + Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString("base64");

/** Which of the files go into this bundle. Without any of it, all do. */
export interface BundleParts {
  /** What stands for a file of a dependency that an author's file imports: an ES module. */
  stub?(file: string): string;
  /** Told of every file that is not one of a dependency. */
  onAuthorsFile?(file: string): void;
  /** Files whose modules the environment has already. */
  known?: Set<string>;
  /** Tells the environment of the modules in this bundle: always, when an import at run time may ask for one, or never. */
  listed?: "always" | "asked" | "never";
}

/** What one run of the bundler has found. */
export interface Found {
  inputs: Set<string>;
  /** The files that have become modules of the bundle. */
  modules: Set<string>;
  /** Of those that are asked for: files that the environment has already. */
  known: Set<string>;
  /** The author makes a `require`, which asks at run time. */
  makesRequire: boolean;
}

/** What earlier runs have found. */
export interface Earlier {
  runtimeImports: RuntimeImports;
  /** The modules to be listed, when they are. */
  table?: { modules: Iterable<string>; canRequire: boolean };
}

interface Rules extends BundleParts {
  /** Where the SDK is: a dependency, although not in node_modules. */
  sdk: string[];
  packageTypes: Map<string, "module" | "commonjs">;
  found: Found;
}

export function bundleRules(share: string, found: Found, { runtimeImports, table }: Earlier, parts: BundleParts): Plugin {
  return {
    name: "svc",
    setup(build) {
      const rules: Rules = { ...parts, sdk: foldersOfSdk(share), packageTypes: new Map(), found };
      takeKnownModules(build);
      if (table) {
        listModules(build, table.modules, table.canRequire);
      }
      // What an absolute path leads to is often written by the plugin itself, later.
      build.onResolve({ filter: /^(?:\/|file:)/ }, ({ kind, namespace, path: specifier }) =>
        kind === "dynamic-import" && namespace === "file"
          ? { errors: [{ text: `Could not resolve ${JSON.stringify(specifier)}` }] }
          : undefined,
      );
      build.onResolve({ filter: /^@get-svc\/plugin-sdk(\/|$)/ }, ({ path: specifier }) => ({
        path: path.join(share, "sdk", "dist", `${specifier.slice(kSdk.length + 1) || "index"}.js`),
      }));
      standInForDatabase(build);
      build.onResolve({ filter: /^svc-external:/ }, ({ path: specifier }) => ({
        path: specifier.slice(kExternal.length),
        external: true,
      }));
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async (args) => {
        const loaded = await load(args, rules);
        const places = runtimeImports.get(args.path);
        return places ? anchorImports(args.path, loaded, places, loaderOf(args.path)) : loaded;
      });
      build.onResolve({ filter: /^svc-dependency:/ }, ({ path: specifier }) => ({
        path: specifier.slice(kShared.length),
        namespace: "svc-dependency",
      }));
      build.onLoad({ filter: /^/, namespace: "svc-dependency" }, ({ path: place }) => ({
        contents: `module.exports = globalThis[Symbol.for("svc.dependencies")](${place})${kNoMap}`,
        loader: "js",
      }));
      build.onLoad({ filter: /\.node$/, namespace: "file" }, ({ path: file }) => external(file));
    },
  };
}

/**
 * Query builders for the package of the plugin's database import it for those who hand on no handle. It is native: where it is
 * not installed, its class only says what to hand on.
 */
function standInForDatabase(build: PluginBuild): void {
  const asked = {};
  build.onResolve({ filter: /^better-sqlite3$/ }, async ({ path: name, importer, kind, resolveDir, pluginData }) => {
    if (pluginData === asked || !importer.includes("/node_modules/")) {
      return undefined;
    }
    const found = await build.resolve(name, { importer, kind, resolveDir, pluginData: asked });
    return found.errors.length === 0 ? found : { path: name, namespace: "svc-no-database" };
  });
  build.onLoad({ filter: /^/, namespace: "svc-no-database" }, () => ({
    contents:
      "module.exports = class Database { constructor() { throw new Error(" +
      '"better-sqlite3 is a native package, which plugins cannot load: hand on the handle of svc.storage.database()") } }',
  }));
}

async function load({ path: file }: OnLoadArgs, rules: Rules): Promise<OnLoadResult | undefined> {
  const isDependency = file.includes("/node_modules/");
  if (isDependency && isCommonJs(file, rules.packageTypes)) {
    return external(file);
  }
  if (rules.known?.has(file)) {
    rules.found.known.add(file);
    return { contents: knownStub(file, await fs.promises.readFile(file, "utf8")) + kNoMap, loader: "js", resolveDir: path.dirname(file) };
  }
  rules.found.inputs.add(file);
  rules.found.modules.add(file);
  const isAuthors = !isDependency && !rules.sdk.some((folder) => file.startsWith(folder));
  if (isAuthors) {
    rules.onAuthorsFile?.(file);
  } else if (rules.stub) {
    return { contents: rules.stub(file) + kNoMap, loader: "js", resolveDir: path.dirname(file) };
  }
  if (!(await fs.promises.stat(file)).isFile()) {
    return { errors: [{ text: `${file} is no file: it cannot be read` }] }; // a FIFO would wait for a writer
  }
  const source = await fs.promises.readFile(file, "utf8");
  rules.found.makesRequire ||= isAuthors && /\bcreateRequire\b/.test(source);
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

/** The source of an ES module with these exports of the `index`th entry of a text of dependencies. They stay live. */
export function stubOf(digest: string, index: number, names: string[]): string {
  const list = names.map((name) => (name === "default" ? `"${kDefaultName}" as default` : JSON.stringify(name)));
  return `export { ${list.join(", ")} } from ${JSON.stringify(`${kShared}${JSON.stringify(digest)}, ${index}`)}`;
}

/** The source of a stub whose exports are not known yet: it has every name. What it is part of cannot run. */
export function unknownStub(): string {
  const from = JSON.stringify(`${kShared}undefined`);
  return `export * from ${from}; export { "${kDefaultName}" as default } from ${from}`;
}

function foldersOfSdk(share: string): string[] {
  const folder = path.join(share, "sdk", "dist");
  try {
    return [`${folder}/`, `${fs.realpathSync(folder)}/`];
  } catch {
    return [`${folder}/`]; // imports of it say what is missing
  }
}

function external(file: string): OnLoadResult {
  return { contents: `module.exports = require(${JSON.stringify(kExternal + file)})`, loader: "js" };
}

/** `__svc_module` takes the place of import.meta, and of __dirname and __filename, in this file. */
function moduleConstants(file: string, source: string): string {
  const text = JSON.stringify;
  const fields = [`url: ${text(url.pathToFileURL(file).href)}`, `filename: ${text(file)}`, `dirname: ${text(path.dirname(file))}`];
  if (/\bimport\s*\.\s*meta\b(?!\s*\.\s*(?:url|dirname|filename)\b)/.test(source)) {
    fields.push(`resolve: ${ofEnvironment("svc.resolve")}(${text(file)})`);
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
