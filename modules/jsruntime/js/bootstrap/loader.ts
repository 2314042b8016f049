/** Loads the author's entry: bundled by the builder, run under the entry's own path so that `require` works as usual. */
import type { Binding, BuiltinRequire } from "../binding.js";
import type { BuildHeader, BuildJob } from "../build.js";
import { makeBuildCache, type Build } from "./build_cache.js";
import { makeDependencies } from "./dependencies.js";
import { makeModules, namespaceOf, nativeImport, type Modules } from "./modules.js";
import type { BuiltWorker } from "./workers.js";
import type { HostFunctions } from "./host_functions.js";

export interface Loader {
  setFolders(root: string, cacheDir: string): void;
  loadModule(path: string): Promise<Record<string, unknown>>;
  /** Builds one of the author's files for a worker thread. */
  buildWorker(file: string): Promise<BuiltWorker>;
  root(): string;
  /** What the bundles of this environment have. */
  modules: Modules;
  /** A stack with positions in dependencies named as their authors know them. */
  nameSources(stack: string): string;
}

/** What a build has made of a file, and the files whose modules it expects in the environment. */
type Prepared = ({ code: string } | { href: string }) & { known: string[] };

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

  const dependencies = makeDependencies(process, builtin, (from, to) => nativeImport(run, from, to));

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
  const prepare = async (entry: string, folder: string, known?: string[]): Promise<Prepared> => {
    const fs = builtin<typeof import("node:fs")>("fs");
    const job: BuildJob = { entry, output: builtin<typeof import("node:path")>("path").join(folder, "server.mjs"), known };
    const { header, code } = await (folder === folders.cacheDir ? buildApart(job) : build(job, true));
    header.warnings.forEach((warning) => binding.log("warn", warning));
    const text = code + inlineMap(header.map);
    if (header.format === "cjs") {
      binding.sourceMap(entry, header.map);
      return { code: text, known: header.known };
    }
    binding.sourceMap(job.output, header.map);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(job.output, text);
    return { href: builtin<typeof import("node:url")>("url").pathToFileURL(job.output).href, known: header.known };
  };

  const runPrepared = (prepared: Prepared, entry: string): Record<string, unknown> | Promise<Record<string, unknown>> =>
    "code" in prepared ? namespaceOf(run(prepared.code, entry)) : nativeImport(run, entry, prepared.href);

  /** The cache folder of a file that is not the entry. */
  const folderOf = (kind: string, file: string): string => {
    const digest = builtin<typeof import("node:crypto")>("crypto").createHash("sha256").update(file).digest("hex");
    return builtin<typeof import("node:path")>("path").join(folders.cacheDir, kind, digest.slice(0, 16));
  };

  /** Ends when the file that is loaded now has listed its modules: what two files import is built once. */
  let turn: Promise<unknown> = Promise.resolve();

  /** A file that no bundle has. What other bundles have is taken from there. */
  const loadFile = (file: string): Promise<Record<string, unknown>> => {
    const started = turn.then(async () => {
      if (modules.has(file)) {
        return () => ({}); // in the bundle of one that was loaded before
      }
      const prepared = await prepare(file, folderOf("imports", file), modules.files());
      const waiting = modules.evaluate(prepared.known);
      const runNow = async (): Promise<Record<string, unknown>> => runPrepared(prepared, file);
      // Those it waits for may import other files.
      const result = waiting ? waiting.then(runNow) : runNow();
      result.catch(() => undefined);
      return () => result;
    });
    turn = started.catch(() => undefined);
    return started.then((result) => result());
  };

  const modules = makeModules(builtin, run, loadFile);

  return {
    setFolders(root, cacheDir) {
      folders = { root, cacheDir };
    },
    async loadModule(path) {
      const { resolve } = builtin<typeof import("node:path")>("path");
      const entry = builtin<typeof import("node:fs")>("fs").realpathSync(resolve(folders.root, path));
      const exports = await runPrepared(await prepare(entry, folders.cacheDir), entry);
      dependencies.keepCompiled();
      return exports;
    },
    async buildWorker(file) {
      const entry = builtin<typeof import("node:fs")>("fs").realpathSync(file);
      return prepare(entry, folderOf("workers", entry));
    },
    root: () => folders.root,
    modules,
    nameSources: dependencies.nameSources,
  };
}

function inlineMap(map: string): string {
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`;
}
