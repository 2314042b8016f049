/** One run of the bundler, with what all of the runtime's bundles have in common. */
import type * as Esbuild from "esbuild";
import { kRegExpWithSets } from "../prelude/language_regexp.js";
import { bundleRules, type BundleParts, type RuntimeImports } from "./rules.js";
import type { BundlerService } from "./service.js";

declare const require: NodeJS.Require;

const path = require("node:path") as typeof import("node:path");

/** What the bundler calls an `import(…)` whose target it cannot know. */
const kRuntimeImport = "unsupported-dynamic-import";

/** How the bundler writes a regular expression whose flag v the engine does not know. */
const kLoweredSets = /\bnew RegExp\((?=(["'`])(?:\\.|(?!\1)[^\\\n])*\1, "[a-z]*v[a-z]*"\))/g;

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
  warnings: Esbuild.Message[];
  metafile: Esbuild.Metafile;
}

/** Rejects with the BuildFailure of the bundler, or with BundlerDied. */
export async function runBundler(
  { bundler, share }: Toolchain,
  options: BundleOptions,
  parts: BundleParts = {},
  runtimeImports: RuntimeImports = new Map(),
): Promise<Bundle> {
  const inputs = new Set<string>();
  const result = await bundler.build({
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
    logOverride: { [kRuntimeImport]: "warning", "require-resolve-not-external": "silent" },
    define: { "import.meta": "__svc_module", __dirname: "__svc_module.dirname", __filename: "__svc_module.filename" },
    ...options,
    metafile: true,
    plugins: [bundleRules(share, inputs, runtimeImports, parts)],
  });
  const found = runtimeImports.size === 0 ? runtimeImportsOf(result.warnings, options.absWorkingDir) : undefined;
  if (found && found.size > 0) {
    return runBundler({ bundler, share }, options, parts, found);
  }
  const metafile = result.metafile as Esbuild.Metafile;
  for (const input of Object.keys(metafile.inputs)) {
    if (!input.includes(":") && input !== "<stdin>") {
      inputs.add(path.resolve(options.absWorkingDir, input));
    }
  }
  const text = (isMap: boolean): string => result.outputFiles?.find((file) => file.path.endsWith(".map") === isMap)?.text ?? "";
  return {
    code: text(false).replace(kLoweredSets, `new ${kRegExpWithSets}(`),
    map: text(true),
    inputs: [...inputs],
    warnings: result.warnings.filter((warning) => warning.id !== kRuntimeImport),
    metafile,
  };
}

/** The bundler finds them; only a second run can change what they mean. */
function runtimeImportsOf(warnings: Esbuild.Message[], folder: string): RuntimeImports {
  const found: RuntimeImports = new Map();
  for (const { id, location } of warnings) {
    if (id === kRuntimeImport && location) {
      const file = path.resolve(folder, location.file);
      found.set(file, [...(found.get(file) ?? []), location]);
    }
  }
  return found;
}
