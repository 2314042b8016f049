/**
 * Imports the built entry as an ES module. Node's own loader would bind imports to its built-in modules as they were before the
 * prelude; here they see what `require` gives, and modules that the embedded Node does not have.
 */
import type { Module, SourceTextModule, SyntheticModule } from "node:vm";

interface ModuleClasses {
  SourceTextModule: typeof SourceTextModule;
  SyntheticModule: typeof SyntheticModule;
}

export type ImportFile = (path: string) => Promise<Record<string, unknown>>;

export function makeImporter(): ImportFile {
  const { SourceTextModule, SyntheticModule } = require("node:vm") as ModuleClasses;
  const { readFileSync, realpathSync } = require("node:fs") as typeof import("node:fs");
  const { dirname } = require("node:path") as typeof import("node:path");
  const { fileURLToPath, pathToFileURL } = require("node:url") as typeof import("node:url");
  const { isBuiltin } = require("node:module") as typeof import("node:module");
  const modules = new Map<string, Promise<Module>>();

  const once = (key: string, make: () => Promise<Module>): Promise<Module> => {
    let module = modules.get(key);
    if (module === undefined) {
      module = make();
      modules.set(key, module);
    }
    return module;
  };

  /** What `require` gives, as a module. */
  const required = (id: string): Promise<Module> =>
    once(id, async () => {
      const exports = require(id) as Record<string, unknown>;
      const names = Object.keys(exports).filter((name) => name !== "default");
      const module = new SyntheticModule(
        ["default", ...names],
        () => {
          module.setExport("default", exports);
          names.forEach((name) => module.setExport(name, exports[name]));
        },
        { identifier: id },
      );
      await module.link(() => Promise.reject(new Error("nothing to link")));
      await module.evaluate();
      return module;
    });

  const imported = async (specifier: string, from: string): Promise<Module> => {
    if (specifier.startsWith("node:") || isBuiltin(specifier)) {
      return required(specifier.startsWith("node:") ? specifier : `node:${specifier}`);
    }
    if (!/^(?:\.{0,2}\/|file:)/.test(specifier)) {
      const text = `Cannot find package '${specifier}': a host entry brings what it uses, nothing is installed on the machine`;
      throw Object.assign(new Error(text), { code: "ERR_MODULE_NOT_FOUND" });
    }
    const path = realpathSync(fileURLToPath(new URL(specifier, from)));
    return /\.(?:cjs|json)$/.test(path) ? required(path) : evaluated(path);
  };

  const load = async (path: string): Promise<Module> => {
    const url = pathToFileURL(path).href;
    const module = new SourceTextModule(readFileSync(path, "utf8"), {
      identifier: url,
      initializeImportMeta: (meta) => Object.assign(meta, { url, filename: path, dirname: dirname(path) }),
      importModuleDynamically: (specifier: string) => imported(specifier, url),
    });
    await module.link((specifier) => imported(specifier, url));
    await module.evaluate();
    return module;
  };

  const evaluated = (path: string): Promise<Module> => once(path, () => load(path));

  return async (path) => (await evaluated(realpathSync(path))).namespace as Record<string, unknown>;
}
