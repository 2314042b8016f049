import { createHash } from "node:crypto";
import { relative } from "node:path";
import type { BuildOptions, Metafile, Plugin } from "esbuild";

import hostSdk from "svc-host-sdk.txt";

import { withUnicodeSets } from "../../jsruntime/js/builder/unicode_sets";
import { kArtifact } from "./limits";
import { BuildError, fromEsbuild } from "./messages";
import { artifactMeta, metaText } from "./meta";
import { Owners, bundledFiles } from "./owners";
import type { Contents, Job } from "./target";

const kHostSdk = "svc-host-sdk";
const kRequire = `import { createRequire as __svcCreateRequire } from "node:module"; const require = __svcCreateRequire(import.meta.url);`;

const kHostNames = "defineRpcContract, experimental_defineHostEntry and PLUGIN_CLI_OUTPUT_MAX_BYTES";

const privatePackage = (name: string): string =>
  `the package ${name} is private to the service and is not there on another machine; a host entry has to bring what it uses`;

const hostRules: Plugin = {
  name: "svc-host-rules",
  setup(build) {
    build.onResolve({ filter: /^@svc\// }, ({ path }) => ({ errors: [{ text: privatePackage(path) }] }));
    build.onResolve({ filter: /\.node$/ }, ({ path }) => ({
      errors: [{ text: `"${path}" is a native addon; a host entry can only bring JavaScript` }],
    }));
    build.onResolve({ filter: /^@get-svc\/plugin-sdk(\/|$)/ }, ({ path }) =>
      /^@get-svc\/plugin-sdk(\/host)?$/.test(path)
        ? { path, namespace: kHostSdk, sideEffects: false }
        : {
            errors: [{ text: `"${path}" does not exist in a host worker; use "import type" for its types` }],
          },
    );
    build.onLoad({ filter: /.*/, namespace: kHostSdk }, () => ({ contents: hostSdk, loader: "js" }));
    // Messages in forty languages are most of the schema library.
    build.onLoad({ filter: /\/zod\/v4\/locales\/[^/]+\.js$/ }, ({ path }) =>
      /\/(?:en|index)\.js$/.test(path) ? undefined : { contents: "export default () => ({});", loader: "js" },
    );
  },
};

function explain(failure: unknown): never {
  const errors = (failure as { errors?: Parameters<typeof fromEsbuild>[0][] }).errors;
  if (!errors?.length) {
    throw failure;
  }
  throw new BuildError(
    ...errors.map((error) => {
      const message = fromEsbuild(error);
      return error.text.includes(`"${kHostSdk}:`)
        ? { ...message, text: `${message.text}; a host worker has only ${kHostNames} of the SDK` }
        : message;
    }),
  );
}

async function bundle(job: Job, target: "host" | "server", entry: string, options: BuildOptions) {
  const { manifest } = job;
  const result = await job.bundler.run(`${target}:${entry}:${job.minify}`, {
    entryPoints: { [target]: entry },
    outdir: "dist",
    bundle: true,
    format: "esm",
    platform: "node",
    legalComments: "none",
    absWorkingDir: manifest.root,
    minify: job.minify,
    keepNames: true,
    sourcemap: "linked",
    sourcesContent: false,
    banner: { js: kRequire },
    ...options,
  });
  result.warnings.map(fromEsbuild).forEach((message) => job.warning(message));
  const find = (end: string): Uint8Array => result.outputFiles.find((file) => file.path.endsWith(end))!.contents;
  return { js: find(".js"), map: find(".js.map"), metafile: result.metafile };
}

const filesOf = (target: "host" | "server", js: Uint8Array, map: Uint8Array, meta: Record<string, unknown>): Contents => ({
  [`${target}.js.map`]: map,
  [`${target}.js`]: js,
  [`${target}.meta.json`]: metaText(meta),
});

/** Packages are private by name, however they were reached. */
function refusePrivate(root: string, js: Uint8Array, metafile: Metafile): void {
  const owners = new Owners();
  for (const file of bundledFiles(root, metafile, "dist/host.js")) {
    const name = owners.nameOf(file);
    if (name?.startsWith("@svc/")) {
      throw new BuildError({ text: privatePackage(name), file: relative(root, file) });
    }
  }
  const left = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\w*\(\s*)["'`](@svc\/[^"'`]+)/.exec(Buffer.from(js).toString());
  if (left) {
    throw new BuildError(privatePackage(left[1]!));
  }
}

export async function buildHost(job: Job, entry: string): Promise<Contents> {
  job.progress("bundling the host entry");
  const options: BuildOptions = { target: "node22", supported: { "regexp-set-notation": false }, plugins: [hostRules] };
  const { js: bundled, map, metafile } = await bundle(job, "host", entry, options).catch(explain);
  // The engine of a worker may be older than what its environment offers: such a literal would keep the whole file from being read.
  const js = Buffer.from(withUnicodeSets(Buffer.from(bundled).toString()));
  refusePrivate(job.manifest.root, js, metafile);
  if (js.length === 0 || js.length > kArtifact) {
    throw new BuildError(`host.js has ${js.length} bytes, limit artifact is ${kArtifact}`);
  }
  const artifactDigest = createHash("sha256").update(js).digest("hex");
  return filesOf("host", js, map, { ...artifactMeta(job.manifest), artifactDigest });
}

export async function buildServer(job: Job, entry: string): Promise<Contents> {
  job.progress("bundling the server entry");
  const { js, map } = await bundle(job, "server", entry, {
    target: "node18",
    external: ["@get-svc/plugin-sdk", "@get-svc/plugin-sdk/*", "better-sqlite3"],
  });
  return filesOf("server", js, map, artifactMeta(job.manifest));
}
