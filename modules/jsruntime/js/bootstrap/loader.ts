/** Loads the author's entry: bundled by the builder, run under the entry's own path so that `require` works as usual. */
import type { Binding, BuiltinRequire } from "../binding.js";
import type { BuildHeader, BuildJob } from "../build.js";
import { kAdjusted } from "../prelude/builtins.js";
import { makeBuildCache, type Build } from "./build_cache.js";
import { makeDependencies } from "./dependencies.js";
import type { BuiltWorker } from "./workers.js";
import type { HostFunctions } from "./host_functions.js";

export interface Loader {
  setFolders(root: string, cacheDir: string): void;
  loadModule(path: string): Promise<Record<string, unknown>>;
  /** Builds one of the author's files for a worker thread. */
  buildWorker(file: string): Promise<BuiltWorker>;
  root(): string;
  /** A stack with positions in dependencies named as their authors know them. */
  nameSources(stack: string): string;
}

/** Node's module class, with the members that its types leave out. */
interface ModuleClass {
  new (id: string, parent: unknown): NodeModule & { _compile(code: string, path: string): void };
  _nodeModulePaths(folder: string): string[];
}

export function makeLoader(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding, host: HostFunctions): Loader {
  let folders = { root: "/", cacheDir: "" };

  /** Compiles CommonJS text as if it were the file `path`. */
  const run = (code: string, path: string): unknown => {
    const Module = builtin<ModuleClass>("module");
    const module = new Module(path, null);
    module.filename = path;
    module.paths = Module._nodeModulePaths(builtin<typeof import("node:path")>("path").dirname(path));
    module._compile(code, path);
    module.loaded = true;
    return module.exports;
  };

  const dependencies = makeDependencies(process, builtin, (from, to) => nativeImport(from, to));

  const build = async (job: BuildJob, useKept: boolean): Promise<Build> => {
    const cache = makeBuildCache(process, builtin, job, folders.root);
    const kept = useKept ? cache.read() : undefined;
    if (kept) {
      return kept;
    }
    const answer = (await host.call("svc:build", JSON.stringify(job))) ?? "";
    const end = answer.indexOf("\n");
    const built = { header: JSON.parse(answer.slice(0, end)) as BuildHeader, code: answer.slice(end + 1) };
    cache.write(built);
    return built;
  };

  /** Builds with dependencies in a text of their own, and has that text ready. */
  const buildApart = async (job: BuildJob): Promise<Build> => {
    for (const wanted of ["kept", "new"] as const) {
      const built = await build({ ...job, dependencies: wanted }, wanted === "kept");
      const digest = built.header.dependencies;
      if (digest === undefined || dependencies.prepare(folders.cacheDir, digest, job.entry)) {
        return built;
      }
    }
    return build(job, false);
  };

  /** Builds one file of the author. What has to be an ES module is kept in `folder`. */
  const prepare = async (entry: string, folder: string): Promise<{ code: string } | { href: string }> => {
    const fs = builtin<typeof import("node:fs")>("fs");
    const job: BuildJob = { entry, output: builtin<typeof import("node:path")>("path").join(folder, "server.mjs") };
    const { header, code } = await (folder === folders.cacheDir ? buildApart(job) : build(job, true));
    header.warnings.forEach((warning) => binding.log("warn", warning));
    const text = code + inlineMap(header.map);
    if (header.format === "cjs") {
      binding.sourceMap(entry, header.map);
      return { code: text };
    }
    binding.sourceMap(job.output, header.map);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(job.output, text);
    return { href: builtin<typeof import("node:url")>("url").pathToFileURL(job.output).href };
  };

  const load = async (entry: string, folder: string): Promise<Record<string, unknown>> => {
    const prepared = await prepare(entry, folder);
    return "code" in prepared ? namespaceOf(run(prepared.code, entry)) : nativeImport(entry, prepared.href);
  };

  /** The cache folder of a file that is not the entry. */
  const folderOf = (kind: string, file: string): string => {
    const digest = builtin<typeof import("node:crypto")>("crypto").createHash("sha256").update(file).digest("hex");
    return builtin<typeof import("node:path")>("path").join(folders.cacheDir, kind, digest.slice(0, 16));
  };

  /** import() works only in code that Node's own loader has compiled. */
  const nativeImport = (from: string, to: unknown, options?: unknown): Promise<Record<string, unknown>> =>
    (run(kImportText, from) as (to: unknown, options?: unknown) => Promise<Record<string, unknown>>)(to, options);

  const imported = new Map<string, Promise<Record<string, unknown>>>();

  /** `import(to)` in the file `from`. A file of the author is built as the entry is; the rest is Node's. */
  const importFrom = async (from: string, to: unknown, options?: unknown): Promise<Record<string, unknown>> => {
    const specifier = String(to);
    const file = /^(?:\.{0,2}\/|file:)/.test(specifier) ? authorsFile(builtin, from, specifier) : undefined;
    if (file === undefined) {
      return nativeImport(from, specifier, options);
    }
    let module = imported.get(file);
    if (module === undefined) {
      module = load(file, folderOf("imports", file));
      imported.set(file, module);
    }
    return module;
  };
  Object.defineProperty(globalThis, Symbol.for("svc.import"), {
    value: (from: string) => (to: unknown, options?: unknown) => importFrom(from, to, options),
  });

  return {
    setFolders(root, cacheDir) {
      folders = { root, cacheDir };
    },
    async loadModule(path) {
      const { resolve } = builtin<typeof import("node:path")>("path");
      const entry = builtin<typeof import("node:fs")>("fs").realpathSync(resolve(folders.root, path));
      const exports = await load(entry, folders.cacheDir);
      dependencies.keepCompiled();
      return exports;
    },
    async buildWorker(file) {
      const entry = builtin<typeof import("node:fs")>("fs").realpathSync(file);
      return prepare(entry, folderOf("workers", entry));
    },
    root: () => folders.root,
    nameSources: dependencies.nameSources,
  };
}

const kImportText =
  `for (const id of ${JSON.stringify(kAdjusted)}) require(id); ` +
  "module.exports = (to, options) => options === undefined ? import(to) : import(to, options)";

const kExtensions = [".ts", ".tsx", ".mts", ".js", ".mjs", ".json", ".cts", ".cjs", ".jsx"];

/** The source file that a computed import means, by the rules for other imports; nothing for what Node has to load. */
function authorsFile(builtin: BuiltinRequire, from: string, specifier: string): string | undefined {
  const fs = builtin<typeof import("node:fs")>("fs");
  const url = builtin<typeof import("node:url")>("url");
  const target = new URL(specifier, url.pathToFileURL(from));
  if (target.search !== "" || target.hash !== "") {
    return undefined; // asks for an instance of its own
  }
  const path = url.fileURLToPath(target);
  const candidates = [
    path,
    path.replace(/\.([cm]?)js$/, ".$1ts"),
    path.replace(/\.jsx?$/, ".tsx"),
    ...kExtensions.map((extension) => path + extension),
    ...kExtensions.map((extension) => `${path}/index${extension}`),
  ];
  const found = candidates.find((candidate) => fs.statSync(candidate, { throwIfNoEntry: false })?.isFile());
  const file = found && fs.realpathSync(found);
  return file !== undefined && !file.includes("/node_modules/") && kExtensions.some((extension) => file.endsWith(extension))
    ? file
    : undefined;
}

function inlineMap(map: string): string {
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`;
}

/** The namespace of an ES module as it is; CommonJS exports the way `import` shows them. */
function namespaceOf(exports: unknown): Record<string, unknown> {
  if (typeof exports === "object" && exports !== null && (exports as { __esModule?: unknown }).__esModule === true) {
    return exports as Record<string, unknown>;
  }
  const named = typeof exports === "object" || typeof exports === "function" ? (exports as object) : {};
  return { ...named, default: exports };
}
