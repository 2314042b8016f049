/** A part for the builder's own environment: answers "build" with the bundle of an entry. */
import type * as Esbuild from "esbuild";
import type { BuildHeader, BuildJob } from "./build.js";
import { runBundler, type Bundle, type Toolchain } from "./builder/bundler.js";
import { buildDependencies, keepInseparable, keptDependencies, sharedDependencies } from "./builder/dependencies.js";
import { describeFailure, isTopLevelAwait } from "./builder/messages.js";
import type { BundleParts } from "./builder/rules.js";
import { BundlerDied, BundlerService } from "./builder/service.js";
import type { DependenciesRecord } from "./dependencies_record.js";
import type { HostRuntime } from "./runtime.js";

declare const require: NodeJS.Require;

const path = require("node:path") as typeof import("node:path");

interface Build {
  header: BuildHeader;
  code: string;
}

export default function builder(runtime: HostRuntime): void {
  const share = process.env["SVC_SHARE"] ?? "";
  let loaded: BundlerService | undefined;
  const bundler = (): BundlerService => {
    const { createRequire } = require("node:module") as typeof import("node:module");
    try {
      return (loaded ??= new BundlerService(createRequire(`${share}/toolchain/`)("esbuild") as typeof Esbuild));
    } catch (error) {
      throw runtime.error(
        "load_failed",
        `plugins cannot be built: esbuild is missing in ${share}/toolchain. Install the service again. (${String(error)})`,
      );
    }
  };

  runtime.handle("build", async (meta) => {
    const job = JSON.parse(meta) as BuildJob;
    const { header, code } = await build({ bundler: bundler(), share }, job, runtime);
    return `${JSON.stringify(header)}\n${code}`;
  });
}

async function build(toolchain: Toolchain, job: BuildJob, runtime: HostRuntime): Promise<Build> {
  // An entry in node_modules has no files that are not a dependency's.
  const apart = job.dependencies !== undefined && path.isAbsolute(job.output) && !job.entry.includes("/node_modules/");
  try {
    return apart ? await buildApart(toolchain, job) : await bundle(toolchain, job);
  } catch (error) {
    const failure = error as Esbuild.BuildFailure;
    if (error instanceof BundlerDied) {
      throw runtime.error("load_failed", error.message);
    }
    throw Array.isArray(failure.errors) ? runtime.error("load_failed", describeFailure(failure.errors, job.entry)) : error;
  }
}

/** The author's files alone where that is possible; else one bundle of everything. */
async function buildApart(toolchain: Toolchain, job: BuildJob): Promise<Build> {
  const folder = path.dirname(job.output);
  const started = Date.now();
  let record = job.dependencies === "kept" ? keptDependencies(folder) : undefined;
  for (;;) {
    const shared = sharedDependencies(record);
    let built: Build;
    try {
      built = await bundle(toolchain, job, shared.parts);
    } catch (error) {
      if (error instanceof BundlerDied) {
        throw error;
      }
      const whole = await bundle(toolchain, job);
      // Only the stubs were in the way.
      keepInseparable(folder, shared.imported, whole.header.inputs, started);
      return whole;
    }
    if (shared.imported.size === 0) {
      return built;
    }
    if (record?.digest !== undefined && shared.missing.size === 0) {
      return { ...built, header: { ...built.header, dependencies: record.digest } };
    }
    if (isInseparable(record, shared.imported)) {
      return bundle(toolchain, job);
    }
    record = await buildDependencies(toolchain, folder, shared.imported);
    if (record?.digest === undefined) {
      return bundle(toolchain, job);
    }
  }
}

function isInseparable(record: DependenciesRecord | undefined, imported: Set<string>): boolean {
  return (
    record !== undefined &&
    record.digest === undefined &&
    record.entries.length === imported.size &&
    record.entries.every(({ file }) => imported.has(file))
  );
}

/** CommonJS, or an ES module when it has to be one. */
async function bundle(toolchain: Toolchain, job: BuildJob, parts?: BundleParts): Promise<Build> {
  try {
    return await bundleAs("cjs", toolchain, job, parts);
  } catch (error) {
    const failure = error as Esbuild.BuildFailure;
    if (!Array.isArray(failure.errors) || !failure.errors.some(isTopLevelAwait)) {
      throw error;
    }
    return bundleAs("esm", toolchain, job, parts);
  }
}

async function bundleAs(format: "cjs" | "esm", toolchain: Toolchain, job: BuildJob, parts?: BundleParts): Promise<Build> {
  const { code, map, inputs, known, warnings }: Bundle = await runBundler(
    toolchain,
    {
      entryPoints: [job.entry],
      absWorkingDir: path.dirname(job.entry),
      // Sources in the map are relative to this: where the text will run.
      outfile: format === "cjs" ? `${job.entry}.cjs` : job.output,
      format,
      sourcemap: "external",
      sourcesContent: false,
      banner: format === "esm" ? { js: requireFor(job.entry) } : {},
    },
    job.known ? { ...parts, known: new Set(job.known), listed: "always" } : parts,
  );
  return { header: { format, map, inputs, known, warnings: warnings.map((warning) => describeFailure([warning], job.entry)) }, code };
}

/** An ES module has no `require`, but the CommonJS packages it uses are loaded with one. */
function requireFor(entry: string): string {
  return `import { createRequire as __svc_createRequire } from "node:module"; const require = __svc_createRequire(${JSON.stringify(entry)});`;
}
