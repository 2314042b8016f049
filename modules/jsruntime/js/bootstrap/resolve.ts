/** What a specifier means that is resolved at run time: the author's files by the rules of the builder, the rest as Node's `import`. */
import type { BuiltinRequire } from "../binding.js";

type Targets = string | null | Targets[] | { [condition: string]: Targets };

interface Manifest {
  name?: string;
  main?: string;
  exports?: Targets;
  imports?: Targets;
}

export interface Resolver {
  /** The real path of a file; nothing when there is none, or when the specifier asks for an instance of its own. */
  file(from: string, specifier: string): string | undefined;
  /** `import.meta.resolve`. */
  href(from: string, specifier: string): string;
}

const kExtensions = [".ts", ".tsx", ".mts", ".js", ".mjs", ".json", ".cts", ".cjs", ".jsx"];
const kConditions = new Set(["import", "node", "default"]);

export const isSource = (file: string): boolean => kExtensions.some((extension) => file.endsWith(extension));

export function makeResolver(builtin: BuiltinRequire): Resolver {
  const fs = (): typeof import("node:fs") => builtin<typeof import("node:fs")>("fs");
  const path = builtin<typeof import("node:path")>("path");
  const url = builtin<typeof import("node:url")>("url");

  const realFile = (candidates: string[]): string | undefined => {
    const found = candidates.find((candidate) => fs().statSync(candidate, { throwIfNoEntry: false })?.isFile());
    return found && fs().realpathSync(found);
  };

  const manifestIn = (folder: string): Manifest | undefined => {
    try {
      return JSON.parse(fs().readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
    } catch {
      return undefined;
    }
  };

  const foldersAbove = function* (file: string): Generator<string> {
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      yield folder;
      if (folder === path.dirname(folder)) {
        return;
      }
    }
  };

  const inPackage = (folder: string, manifest: Manifest | undefined, subpath: string): string | undefined => {
    if (manifest?.exports !== undefined && manifest.exports !== null) {
      const target = targetOf(byPath(manifest.exports), subpath);
      return target && realFile([path.join(folder, target)]);
    }
    const named = path.join(folder, subpath === "." ? (manifest?.main ?? "index.js") : subpath);
    return realFile([
      named,
      `${named}.js`,
      `${named}.json`,
      path.join(named, "index.js"),
      ...(subpath === "." ? [path.join(folder, "index.js")] : []),
    ]);
  };

  const packageFile = (from: string, specifier: string): string | undefined => {
    const [, name, rest = ""] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
    if (name === undefined) {
      return undefined;
    }
    let own = false;
    for (const folder of foldersAbove(from)) {
      const manifest: Manifest | undefined = own ? undefined : manifestIn(folder);
      own ||= manifest !== undefined;
      if (manifest?.exports !== undefined && manifest.name === name) {
        return inPackage(folder, manifest, `.${rest}`);
      }
      const candidate = path.join(folder, "node_modules", name);
      if (path.basename(folder) !== "node_modules" && fs().statSync(candidate, { throwIfNoEntry: false })?.isDirectory()) {
        return inPackage(candidate, manifestIn(candidate), `.${rest}`);
      }
    }
    return undefined;
  };

  /** `#name`: what the imports of the nearest package.json say. */
  const ownImport = (from: string, specifier: string): string | undefined => {
    for (const folder of foldersAbove(from)) {
      const manifest = manifestIn(folder);
      if (manifest) {
        const target = targetOf(manifest.imports ?? {}, specifier);
        return target === undefined || target.startsWith("./")
          ? target && realFile([path.join(folder, target)])
          : packageFile(path.join(folder, "package.json"), target);
      }
    }
    return undefined;
  };

  const byLocation = (target: string): string | undefined =>
    realFile([
      target,
      target.replace(/\.([cm]?)js$/, ".$1ts"),
      target.replace(/\.jsx?$/, ".tsx"),
      ...kExtensions.map((extension) => target + extension),
      ...kExtensions.map((extension) => `${target}/index${extension}`),
    ]);

  const isLocation = (specifier: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier);

  const file = (from: string, specifier: string): string | undefined => {
    if (isLocation(specifier)) {
      const target = new URL(specifier, url.pathToFileURL(from));
      return target.search === "" && target.hash === "" ? byLocation(url.fileURLToPath(target)) : undefined;
    }
    if (/^[a-z]+:/.test(specifier) || builtin<typeof import("node:module")>("module").isBuiltin(specifier)) {
      return undefined;
    }
    return specifier.startsWith("#") ? ownImport(from, specifier) : packageFile(from, specifier);
  };

  return {
    file,
    href(from, specifier) {
      if (isLocation(specifier)) {
        const found = file(from, specifier);
        return (found === undefined ? new URL(specifier, url.pathToFileURL(from)) : url.pathToFileURL(found)).href;
      }
      if (builtin<typeof import("node:module")>("module").isBuiltin(specifier)) {
        return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
      }
      if (/^[a-z]+:/.test(specifier)) {
        return new URL(specifier).href;
      }
      const found = file(from, specifier);
      if (found === undefined) {
        const message = `Cannot find package '${specifier}' imported from ${from}`;
        throw Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
      }
      return url.pathToFileURL(found).href;
    },
  };
}

/** `exports` may be the target of the package itself. */
function byPath(exports: Targets): Targets {
  const isMap = typeof exports === "object" && exports !== null && Object.keys(exports).some((key) => key.startsWith("."));
  return isMap ? exports : { ".": exports };
}

function targetOf(targets: Targets, subpath: string): string | undefined {
  const map = targets as Record<string, Targets>;
  if (Object.hasOwn(map, subpath) && !subpath.includes("*")) {
    return chosen(map[subpath] ?? null, "");
  }
  let best: string | undefined;
  for (const key of Object.keys(map)) {
    const [head = "", tail = ""] = key.split("*");
    const fits = key.includes("*") && subpath.startsWith(head) && subpath.endsWith(tail) && subpath.length >= key.length;
    if (fits && head.length > (best?.indexOf("*") ?? -1)) {
      best = key;
    }
  }
  if (best === undefined) {
    return undefined;
  }
  const [head = "", tail = ""] = best.split("*");
  return chosen(map[best] ?? null, subpath.slice(head.length, subpath.length - tail.length));
}

function chosen(target: Targets, star: string): string | undefined {
  if (typeof target === "string") {
    return target.replaceAll("*", star);
  }
  if (target === null) {
    return undefined;
  }
  const options = Array.isArray(target)
    ? target
    : Object.entries(target)
        .filter(([condition]) => kConditions.has(condition))
        .map(([, value]) => value);
  for (const option of options) {
    const found = chosen(option, star);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
