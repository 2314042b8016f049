/**
 * require() of an ES module, as Node 22 has it: CommonJS packages depend on packages that are ES modules only, and an author
 * may make a `require`, also for TypeScript. A module of a bundle in this environment is that one; any other file and what it
 * imports of its own package become one CommonJS text. Top-level await cannot be had this way.
 */
import type { BuiltinRequire } from "../binding.js";
import type { Modules } from "./modules.js";
import { makeResolver } from "./resolve.js";

interface LoadedModule {
  exports: unknown;
  _compile(code: string, path: string): void;
}

interface ModuleClass {
  _extensions: Record<string, (module: LoadedModule, file: string) => void>;
  _resolveFilename(this: unknown, request: string, parent: { filename?: string | null } | null, ...rest: unknown[]): string;
}

const kTypeScript = [".ts", ".tsx", ".mts", ".cts"];

/** What Node says of ES modules that no package.json announces. */
const kOtherSyntax = /^(?:Cannot use import statement|Unexpected token 'export'|Cannot use 'import\.meta')/;

/** The modules of bundles. Those of `toRequire` are made when they are asked for. */
type Bundled = Pick<Modules, "required" | "toRequire">;

export function allowRequireOfEsModules(process: NodeJS.Process, builtin: BuiltinRequire, toolchain: () => string, bundled: Bundled): void {
  const { _extensions: extensions } = builtin<ModuleClass>("module");
  const original = extensions[".js"] as ModuleClass["_extensions"][string];
  const takeKnown = (module: LoadedModule, file: string): boolean => {
    const known = bundled.required(file);
    if (known) {
      [module.exports] = known;
    }
    return known !== undefined;
  };
  const load = (module: LoadedModule, file: string): void => {
    if (!takeKnown(module, file)) {
      module._compile(asCommonJs(process, builtin, toolchain(), file, bundled.toRequire()), file);
    }
  };
  extensions[".js"] = (module, file) => {
    if (takeKnown(module, file)) {
      return;
    }
    try {
      original(module, file);
    } catch (error) {
      if (!isOfEsModule(error, file)) {
        throw error;
      }
      load(module, file);
    }
  };
  for (const extension of [".mjs", ...kTypeScript]) {
    extensions[extension] = load;
  }
}

/** `require("./x.js")` of the author may mean x.ts, by the rules of `import`. */
export function resolveSourcesOfRequire(builtin: BuiltinRequire): void {
  const Module = builtin<ModuleClass>("module");
  const path = builtin<typeof import("node:path")>("path");
  const { pathToFileURL } = builtin<typeof import("node:url")>("url");
  const resolver = makeResolver(builtin);
  const original = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, ...rest) {
    try {
      return original.call(this, request, parent, ...rest);
    } catch (error) {
      const from = parent?.filename;
      const isFile = /^\.{0,2}\/.*[^/]$/s.test(request);
      if (
        !isFile ||
        typeof from !== "string" ||
        from.includes("/node_modules/") ||
        (error as { code?: string }).code !== "MODULE_NOT_FOUND"
      ) {
        throw error;
      }
      const found = resolver.file(from, pathToFileURL(path.resolve(path.dirname(from), request)).href);
      if (found === undefined) {
        throw error;
      }
      return found;
    }
  };
}

/** The same failure of a file that this one requires is not this one's. */
function isOfEsModule(error: unknown, file: string): boolean {
  const { code, message, stack } = error as { code?: string; message?: string; stack?: string };
  if (code === "ERR_REQUIRE_ESM") {
    return message?.includes(file) === true;
  }
  return error instanceof SyntaxError && kOtherSyntax.test(error.message) && stack?.startsWith(`${file}:`) === true;
}

function asCommonJs(process: NodeJS.Process, builtin: BuiltinRequire, toolchain: string, file: string, bundled: string[]): string {
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
      ...bundled.map((other) => `--external:${other}`),
    ],
    // Paths of what is left out start there.
    { cwd: builtin<typeof import("node:path")>("path").dirname(file), encoding: "utf8", maxBuffer: Infinity },
  );
  if (status !== 0) {
    throw Object.assign(new Error(`require() of the ES module ${file} failed: ${stderr.trim()}`), { code: "ERR_REQUIRE_ESM" });
  }
  // In a package of type "module" the bundler takes all exports of CommonJS as the default; these were ES modules.
  return stdout.replace(/__toESM\((require\("\.{0,2}\/[^"]*"\)), 1\)/g, "__toESM($1)");
}
