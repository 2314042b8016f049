/** Loads the author's entry: bundled by the builder, run under the entry's own path so that `require` works as usual. */
import type { Binding, BuiltinRequire } from "../binding.js";
import type { BuildHeader, BuildJob } from "../build.js";
import { makeBuildCache } from "./build_cache.js";
import type { HostFunctions } from "./host_functions.js";

export interface Loader {
  setFolders(root: string, cacheDir: string): void;
  loadModule(path: string): Promise<Record<string, unknown>>;
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

  const build = async (job: BuildJob): Promise<{ header: BuildHeader; code: string }> => {
    const cache = makeBuildCache(process, builtin, job, folders.root);
    const kept = cache.read();
    if (kept) {
      return kept;
    }
    const answer = (await host.call("svc:build", JSON.stringify(job))) ?? "";
    const end = answer.indexOf("\n");
    const built = { header: JSON.parse(answer.slice(0, end)) as BuildHeader, code: answer.slice(end + 1) };
    cache.write(built);
    return built;
  };

  return {
    setFolders(root, cacheDir) {
      folders = { root, cacheDir };
    },
    async loadModule(path) {
      const fs = builtin<typeof import("node:fs")>("fs");
      const { join, resolve } = builtin<typeof import("node:path")>("path");
      const { pathToFileURL } = builtin<typeof import("node:url")>("url");
      const entry = fs.realpathSync(resolve(folders.root, path));
      const output = join(folders.cacheDir, "server.mjs");
      const { header, code } = await build({ entry, output });
      header.warnings.forEach((warning) => binding.log("warn", warning));
      if (header.format === "cjs") {
        binding.sourceMap(entry, header.map);
        return namespaceOf(run(code + inlineMap(header.map), entry));
      }
      binding.sourceMap(output, header.map);
      fs.mkdirSync(folders.cacheDir, { recursive: true });
      fs.writeFileSync(output, code + inlineMap(header.map));
      // import() works only in code that Node's own loader has compiled.
      const load = run("module.exports = (url) => import(url)", entry) as (url: string) => Promise<Record<string, unknown>>;
      return await load(pathToFileURL(output).href);
    },
  };
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
