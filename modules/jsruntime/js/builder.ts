/** A part for the builder's own environment: answers "build" with the bundle of an entry. */
import type * as Esbuild from "esbuild";
import type { BuildHeader, BuildJob } from "./build.js";
import { describeFailure, isTopLevelAwait } from "./builder/messages.js";
import { bundleRules, type RuntimeImports } from "./builder/rules.js";
import { kRegExpWithSets } from "./prelude/language_regexp.js";
import type { HostRuntime } from "./runtime.js";

declare const require: NodeJS.Require;

/** What the bundler calls an `import(…)` whose target it cannot know. */
const kRuntimeImport = "unsupported-dynamic-import";

/** How the bundler writes a regular expression whose flag v the engine does not know. */
const kLoweredSets = /\bnew RegExp\((?=(["'`])(?:\\.|(?!\1)[^\\\n])*\1, "[a-z]*v[a-z]*"\))/g;

export default function builder(runtime: HostRuntime): void {
  const share = process.env["SVC_SHARE"] ?? "";
  let loaded: typeof Esbuild | undefined;
  const esbuild = (): typeof Esbuild => {
    const { createRequire } = require("node:module") as typeof import("node:module");
    try {
      return (loaded ??= createRequire(`${share}/toolchain/`)("esbuild") as typeof Esbuild);
    } catch (error) {
      throw runtime.error(
        "load_failed",
        `plugins cannot be built: esbuild is missing in ${share}/toolchain. Install the service again. (${String(error)})`,
      );
    }
  };

  runtime.handle("build", async (meta) => {
    const job = JSON.parse(meta) as BuildJob;
    const { header, code } = await bundle(esbuild(), job, share, runtime);
    return `${JSON.stringify(header)}\n${code}`;
  });
}

async function bundle(
  esbuild: typeof Esbuild,
  job: BuildJob,
  share: string,
  runtime: HostRuntime,
): Promise<{ header: BuildHeader; code: string }> {
  try {
    return await bundleAs("cjs", esbuild, job, share);
  } catch (error) {
    const failure = error as Esbuild.BuildFailure;
    if (!Array.isArray(failure.errors)) {
      throw error;
    }
    if (!failure.errors.some(isTopLevelAwait)) {
      throw runtime.error("load_failed", describeFailure(failure.errors, job.entry));
    }
  }
  try {
    return await bundleAs("esm", esbuild, job, share);
  } catch (error) {
    const failure = error as Esbuild.BuildFailure;
    throw Array.isArray(failure.errors)
      ? runtime.error("load_failed", describeFailure(failure.errors, job.entry))
      : error;
  }
}

async function bundleAs(
  format: "cjs" | "esm",
  esbuild: typeof Esbuild,
  job: BuildJob,
  share: string,
  runtimeImports: RuntimeImports = new Map(),
): Promise<{ header: BuildHeader; code: string }> {
  const path = require("node:path") as typeof import("node:path");
  const inputs = new Set<string>();
  const result = await esbuild.build({
    entryPoints: [job.entry],
    absWorkingDir: path.dirname(job.entry),
    // Sources in the map are relative to this: where the text will run.
    outfile: format === "cjs" ? `${job.entry}.cjs` : job.output,
    write: false,
    bundle: true,
    platform: "node",
    target: `node${process.versions.node}`,
    format,
    conditions: [],
    // Node's own import() does not see what the prelude adjusts in Node's modules.
    supported: format === "cjs" ? { "dynamic-import": false } : {},
    resolveExtensions: [".ts", ".tsx", ".mts", ".js", ".mjs", ".json", ".cts", ".cjs", ".jsx"],
    sourcemap: "external",
    sourcesContent: false,
    keepNames: true,
    legalComments: "none",
    logLevel: "silent",
    logOverride: { [kRuntimeImport]: "warning", "require-resolve-not-external": "silent" },
    metafile: true,
    define: { "import.meta": "__svc_module", __dirname: "__svc_module.dirname", __filename: "__svc_module.filename" },
    banner: format === "esm" ? { js: requireFor(job.entry) } : {},
    plugins: [bundleRules(share, inputs, runtimeImports)],
  });
  const found = runtimeImports.size === 0 ? runtimeImportsOf(result.warnings, path.dirname(job.entry)) : undefined;
  if (found && found.size > 0) {
    return bundleAs(format, esbuild, job, share, found);
  }
  const map = result.outputFiles?.find((file) => file.path.endsWith(".map"));
  const code = result.outputFiles?.find((file) => !file.path.endsWith(".map"));
  for (const input of Object.keys(result.metafile?.inputs ?? {})) {
    if (!input.includes(":")) {
      inputs.add(path.resolve(path.dirname(job.entry), input));
    }
  }
  return {
    header: {
      format,
      map: map?.text ?? "",
      inputs: [...inputs],
      warnings: result.warnings
        .filter((warning) => warning.id !== kRuntimeImport)
        .map((warning) => describeFailure([warning], job.entry)),
    },
    code: (code?.text ?? "").replace(kLoweredSets, `new ${kRegExpWithSets}(`),
  };
}

/** The bundler finds them; only a second run can change what they mean. */
function runtimeImportsOf(warnings: Esbuild.Message[], folder: string): RuntimeImports {
  const path = require("node:path") as typeof import("node:path");
  const found: RuntimeImports = new Map();
  for (const { id, location } of warnings) {
    if (id === kRuntimeImport && location) {
      const file = path.resolve(folder, location.file);
      found.set(file, [...(found.get(file) ?? []), location]);
    }
  }
  return found;
}

/** An ES module has no `require`, but the CommonJS packages it uses are loaded with one. */
function requireFor(entry: string): string {
  return `import { createRequire as __svc_createRequire } from "node:module"; const require = __svc_createRequire(${JSON.stringify(entry)});`;
}
