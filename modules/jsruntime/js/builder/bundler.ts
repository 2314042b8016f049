/** One run of the bundler, with what all of the runtime's bundles have in common. */
import type * as Esbuild from "esbuild";
import { kModuleTable } from "./module_table.js";
import { bundleRules, type BundleParts, type Earlier, type Found } from "./rules.js";
import { addPlaces, asWritten, isRuntimeImport, kRuntimeImportMessages, placesOfGlobs, placesOfMessages } from "./runtime_imports.js";
import type { BundlerService } from "./service.js";
import { withUnicodeSets } from "./unicode_sets.js";

declare const require: NodeJS.Require;

const path = require("node:path") as typeof import("node:path");

export interface Toolchain {
  bundler: BundlerService;
  /** Where the service keeps what plugins are built with. */
  share: string;
}

export type BundleOptions = Esbuild.BuildOptions & { absWorkingDir: string; format: "cjs" | "esm" };

export interface Bundle {
  code: string;
  map: string;
  /** Every file that went in, absolute. */
  inputs: string[];
  /** Those of `BundleParts.known` that it asks for. */
  known: string[];
  /** Has an `import(…)` whose target is found when it runs. */
  importsAtRunTime: boolean;
  warnings: Esbuild.Message[];
  metafile: Esbuild.Metafile;
}

/** Rejects with the BuildFailure of the bundler, or with BundlerDied. */
export async function runBundler(toolchain: Toolchain, options: BundleOptions, parts: BundleParts = {}): Promise<Bundle> {
  const earlier: Earlier = { runtimeImports: new Map() };
  for (;;) {
    const run = await runOnce(toolchain, options, parts, earlier);
    if (run === undefined) {
      continue; // an import(…) was found
    }
    const importsAtRunTime = earlier.runtimeImports.size > 0;
    const isAsked = parts.listed === "always" || (parts.listed !== "never" && (importsAtRunTime || run.found.makesRequire));
    if (isAsked && !earlier.table) {
      earlier.table = { modules: run.found.modules, canRequire: options.format === "cjs" };
      continue;
    }
    const { inputs, known } = run.found;
    for (const input of Object.keys(run.metafile.inputs)) {
      const file = path.resolve(options.absWorkingDir, input);
      if (!input.includes(":") && input !== "<stdin>" && !known.has(file)) {
        inputs.add(file);
      }
    }
    return {
      code: withUnicodeSets(run.code),
      map: run.map,
      inputs: [...inputs],
      known: [...known],
      importsAtRunTime,
      warnings: run.warnings.filter((warning) => !isRuntimeImport(warning)),
      metafile: run.metafile,
    };
  }
}

interface Run {
  code: string;
  map: string;
  found: Found;
  warnings: Esbuild.Message[];
  metafile: Esbuild.Metafile;
}

/** Nothing when it has found imports that only a further run can change; they are in `earlier`. */
async function runOnce(
  { bundler, share }: Toolchain,
  options: BundleOptions,
  parts: BundleParts,
  earlier: Earlier,
): Promise<Run | undefined> {
  const folder = options.absWorkingDir;
  const written = (messages: Esbuild.Message[]): Esbuild.Message[] =>
    messages.map((message) => asWritten(message, earlier.runtimeImports, folder));
  const found: Found = { inputs: new Set(), modules: new Set(), known: new Set(), makesRequire: false };
  let result: Esbuild.BuildResult;
  try {
    result = await bundler.build({
      write: false,
      bundle: true,
      platform: "node",
      target: `node${process.versions.node}`,
      conditions: [],
      // Node's own import() does not see what the prelude adjusts in Node's modules.
      supported: options.format === "cjs" ? { "dynamic-import": false } : {},
      resolveExtensions: [".ts", ".tsx", ".mts", ".js", ".mjs", ".json", ".cts", ".cjs", ".jsx"],
      keepNames: true,
      legalComments: "none",
      logLevel: "silent",
      logOverride: { ...kRuntimeImportMessages, "require-resolve-not-external": "silent" },
      define: { "import.meta": "__svc_module", __dirname: "__svc_module.dirname", __filename: "__svc_module.filename" },
      inject: earlier.table ? [kModuleTable] : [],
      ...options,
      metafile: true,
      plugins: [bundleRules(share, found, earlier, parts)],
    });
  } catch (error) {
    const { errors, warnings } = error as Partial<Esbuild.BuildFailure>;
    if (!errors || !warnings) {
      throw error;
    }
    if (addPlaces(earlier.runtimeImports, placesOfMessages([...errors, ...warnings], folder))) {
      return undefined;
    }
    throw Object.assign(error as Esbuild.BuildFailure, { errors: written(errors) });
  }
  const { warnings } = result;
  const metafile = result.metafile as Esbuild.Metafile;
  const text = (isMap: boolean): string => result.outputFiles?.find((file) => file.path.endsWith(".map") === isMap)?.text ?? "";
  const [code, map] = [text(false), text(true)];
  const globs = placesOfGlobs(code, map, path.dirname(options.outfile ?? ""));
  const isNew = addPlaces(earlier.runtimeImports, [...placesOfMessages(warnings, folder), ...globs]);
  return isNew ? undefined : { code, map, found, warnings: written(warnings), metafile };
}
