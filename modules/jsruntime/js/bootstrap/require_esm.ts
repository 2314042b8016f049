/**
 * require() of an ES module, as Node 22 has it: CommonJS packages depend on packages that are ES modules only. The file and
 * what it imports of its own package become one CommonJS text; top-level await cannot be had this way.
 */
import type { BuiltinRequire } from "../binding.js";

interface LoadedModule {
  exports: unknown;
  _compile(code: string, path: string): void;
}

interface ModuleClass {
  _extensions: Record<string, (module: LoadedModule, file: string) => void>;
}

export function allowRequireOfEsModules(process: NodeJS.Process, builtin: BuiltinRequire, toolchain: () => string): void {
  const { _extensions: extensions } = builtin<ModuleClass>("module");
  const original = extensions[".js"] as ModuleClass["_extensions"][string];
  const load = (module: LoadedModule, file: string): void => {
    module._compile(asCommonJs(process, builtin, toolchain(), file), file);
  };
  extensions[".js"] = (module, file) => {
    try {
      original(module, file);
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      // The same failure of a file that this one requires is not this one's.
      if (code !== "ERR_REQUIRE_ESM" || !message?.includes(file)) {
        throw error;
      }
      load(module, file);
    }
  };
  extensions[".mjs"] = load;
}

function asCommonJs(process: NodeJS.Process, builtin: BuiltinRequire, toolchain: string, file: string): string {
  const { spawnSync } = builtin<typeof import("node:child_process")>("child_process");
  const { status, stdout, stderr } = spawnSync(
    `${toolchain}/@esbuild/${process.platform}-${process.arch}/bin/esbuild`,
    [
      file,
      "--bundle",
      "--packages=external",
      "--platform=node",
      "--format=cjs",
      `--target=node${process.versions.node}`,
      "--define:import.meta.url=__svc_url",
      "--define:import.meta.dirname=__dirname",
      "--define:import.meta.filename=__filename",
      '--banner:js=const __svc_url = require("url").pathToFileURL(__filename).href;',
      "--log-level=error",
    ],
    { encoding: "utf8", maxBuffer: Infinity },
  );
  if (status !== 0) {
    throw Object.assign(new Error(`require() of the ES module ${file} failed: ${stderr.trim()}`), { code: "ERR_REQUIRE_ESM" });
  }
  return stdout;
}
