import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import type { Loader, Metafile, Plugin } from "esbuild";

import { kBundleCss, kBundleJs, kBundleWarn } from "./limits";
import { BuildError, fromEsbuild } from "./messages";
import { artifactMeta, metaText } from "./meta";
import { Owners, bundledFiles, importerOf } from "./owners";
import { kShims, runtimeShims, singletonPackages, slotOf, suppliedPackages } from "./shims";
import { loadTailwind, styleSheet } from "./tailwind";
import type { Contents, Job } from "./target";
import { tsconfigFor } from "./tsconfig_file";

const loaders: Record<string, Loader> = {
  ...Object.fromEntries(
    [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".svg", ".woff", ".woff2", ".ttf", ".otf", ".eot"].map((extension) => [
      extension,
      "dataurl" as const,
    ]),
  ),
  ".wasm": "binary",
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The server entry never reaches a browser: an import of a value of it is the author's mistake. */
function refuseServer(server: string): Plugin {
  return {
    name: "svc-server-entry",
    setup(build) {
      build.onLoad({ filter: new RegExp(`^${escaped(server)}$`) }, ({ path }) => ({
        errors: [
          {
            text:
              `app code imports a value of the server entry ${basename(path)}, which never runs in the app window; ` +
              `use "import type", or move what both need into a file of its own`,
          },
        ],
      }));
    },
  };
}

/** Sheets of the toolchain are part of every build already. */
const ownSheets: Plugin = {
  name: "svc-own-sheets",
  setup(build) {
    build.onResolve({ filter: /^(tailwindcss|tw-animate-css)(\/|$)/ }, ({ path, kind }) =>
      kind === "import-rule" ? { path, namespace: "svc-own-sheet" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "svc-own-sheet" }, () => ({ contents: "", loader: "css" }));
  },
};

/** A few lines over the react that the window supplies, in what React Compiler made; not another react. */
const isCompilerRuntime = (file: string): boolean => /[\\/](?:react-)?compiler-runtime(?:\.\w+)?\.js$/.test(file);

function checkCopies(job: Job, files: readonly string[], metafile: Metafile): void {
  const owners = new Owners();
  const seen = new Set<string>();
  for (const file of files) {
    const name = owners.nameOf(file);
    if (name === undefined || !singletonPackages.has(name) || seen.has(name)) {
      continue;
    }
    if (name === "react" && isCompilerRuntime(file)) {
      continue;
    }
    seen.add(name);
    const from = importerOf(metafile, relative(job.manifest.root, file));
    const text =
      `a second copy of ${name} is bundled${from ? `: ${from.importer} imports "${from.specifier}"` : ""}; ` +
      `import "${name}" itself, which the app window supplies, or a package that does`;
    if (name === "react" || name === "react-dom") {
      throw new BuildError({ text, file: from?.importer });
    }
    job.warning({ text, file: from?.importer });
  }
  for (const name of Object.keys(job.manifest.dependencies)) {
    if (suppliedPackages.has(name)) {
      job.warning({ text: `${name} is in "dependencies": the app window supplies it, move it to "devDependencies"`, file: "package.json" });
    }
  }
}

function checkSizes(job: Job, js: Uint8Array, css: string | undefined, metafile: Metafile, output: string): void {
  if (js.length > kBundleJs) {
    throw new BuildError(`app.js has ${js.length} bytes, limit bundle-js is ${kBundleJs}`);
  }
  const cssBytes = css === undefined ? 0 : Buffer.byteLength(css);
  if (cssBytes > kBundleCss) {
    throw new BuildError(`app.css has ${cssBytes} bytes, limit bundle-css is ${kBundleCss}`);
  }
  if (js.length <= kBundleWarn) {
    return;
  }
  const largest = Object.entries(metafile.outputs[output]?.inputs ?? {})
    .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .slice(0, 5)
    .map(([file, { bytesInOutput }]) => `${file} (${bytesInOutput})`);
  job.warning({
    text: `app.js has ${js.length} bytes, more than limit bundle-warn (${kBundleWarn}); the largest inputs: ${largest.join(", ")}`,
  });
}

/** What builds of others make files of: here nothing is there when it runs. */
const kWorker = /\bnew\s+(?:Shared)?Worker\s*\(\s*new\s+URL\s*\(/;

function checkWorkers(job: Job, files: readonly string[]): void {
  for (const path of files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.includes("/node_modules/"))) {
    const lines = readFileSync(path, "utf8").split("\n");
    const at = lines.findIndex((line) => kWorker.test(line));
    if (at >= 0) {
      job.warning({
        text: "web workers are not bundled: what this address leads to is not there when the page runs",
        file: relative(job.manifest.root, path),
        line: at + 1,
      });
    }
  }
}

export async function buildApp(job: Job, entry: string): Promise<Contents> {
  const { manifest } = job;
  const server = manifest.entries.server;
  job.progress("bundling the app entry");
  const tsconfig = tsconfigFor(manifest.root);
  const tailwind = loadTailwind();
  tailwind.catch(() => {}); // reported when it is needed
  const { outputFiles, metafile, warnings } = await job.bundler.run(`app:${entry}:${job.minify}:${tsconfig ?? ""}`, {
    entryPoints: { app: entry },
    outdir: "dist",
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxDev: false,
    tsconfig,
    legalComments: "none",
    absWorkingDir: manifest.root,
    minify: job.minify,
    sourcemap: job.minify ? false : "inline",
    define: { "process.env.NODE_ENV": '"production"', __SVC_PLUGIN_ID__: JSON.stringify(manifest.id) },
    loader: loaders,
    plugins: [runtimeShims(manifest.root), ...(server ? [refuseServer(server)] : []), ownSheets],
  });
  warnings.map(fromEsbuild).forEach((message) => job.warning(message));
  const output = "dist/app.js";
  const js = outputFiles.find((file) => file.path.endsWith(".js"))!.contents;
  const authored = outputFiles.find((file) => file.path.endsWith(".css"))?.text ?? "";
  const files = bundledFiles(manifest.root, metafile, output);
  checkCopies(job, files, metafile);
  checkWorkers(job, files);
  job.progress("compiling its style sheet");
  const sheets = bundledFiles(manifest.root, metafile, "dist/app.css");
  const own = { css: authored.replace(/\/\*# sourceMappingURL=.*?\*\/\s*$/, ""), files: sheets };
  const css = await styleSheet(manifest, files, own, job, await tailwind);
  checkSizes(job, js, css, metafile, output);
  const meta = metaText({ ...artifactMeta(manifest), runtimeSlots: slotsIn(metafile, output) });
  return { "app.css": css, "app.js": js, "app.meta.json": meta };
}

function slotsIn(metafile: Metafile, output: string): string[] {
  const prefix = `${kShims}:`;
  return Object.keys(metafile.outputs[output]?.inputs ?? {})
    .filter((input) => input.startsWith(prefix))
    .map((input) => slotOf(input.slice(prefix.length)))
    .sort();
}
