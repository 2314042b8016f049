/**
 * The modules of the bundles in this environment by their source files, so that an import whose target is found when it runs
 * gets the instance that the others have. Bundles list theirs (js/builder/module_table.ts).
 */
import type { BuiltinRequire } from "../binding.js";
import { kAdjusted } from "../prelude/builtins.js";
import { isSource, makeResolver } from "./resolve.js";

export type Namespace = Record<string, unknown>;
/** Both evaluate at the first call. The second cannot be had where a module may have top-level await. */
type Listed = [toImport: () => Promise<Namespace>, toRequire?: () => unknown];

/** Compiles CommonJS text as if it were the file `path`. */
export type RunCommonJs = (code: string, path: string) => unknown;

/** Builds a file of the author that is in no bundle, and runs it. */
export type LoadFile = (file: string) => Promise<Namespace>;

export interface Modules {
  files(): string[];
  has(file: string): boolean;
  /** What `require` of this file is, when a bundle has it: only then in an array. */
  required(file: string): [exports: unknown] | undefined;
  /** The files that it has. */
  toRequire(): string[];
  /** Evaluates those of these files that `required` does not have; nothing when it has all. */
  evaluate(files: string[]): Promise<unknown> | undefined;
}

export function makeModules(builtin: BuiltinRequire, run: RunCommonJs, load?: LoadFile): Modules {
  const listed = new Map<string, Listed>();
  const evaluated = new Map<string, Namespace>();
  const shared = new Map<string, object>();
  /** By file: what is in no bundle, or in one that was built for it alone. */
  const imported = new Map<string, Promise<Namespace>>();
  const resolver = makeResolver(builtin);

  const required = (file: string): [unknown] | undefined => {
    const toRequire = listed.get(file)?.[1];
    return toRequire && [toRequire()];
  };

  const sharedOf = (file: string): object => {
    let found = shared.get(file);
    if (found === undefined) {
      const exports = required(file);
      const namespace = exports ? namespaceOf(exports[0]) : evaluated.get(file);
      if (namespace === undefined) {
        throw new Error(`${file} is not loaded`);
      }
      found = shareOf(namespace);
      shared.set(file, found);
    }
    return found;
  };

  const loadOwn = (file: string): Promise<Namespace> => {
    let module = imported.get(file);
    if (module === undefined) {
      // The bundle that was built for it lists it too, and others import it from there.
      module = file.endsWith(".json")
        ? Promise.resolve().then(() => namespaceOf(readJson(builtin, file)))
        : (load as LoadFile)(file).then((namespace) => listed.get(file)?.[0]() ?? namespace);
      imported.set(file, module);
    }
    return module;
  };

  /** `import(to)` in the file `from`. */
  const importFrom = async (from: string, to: unknown, options?: unknown): Promise<Namespace> => {
    const specifier = String(to);
    const file = resolver.file(from, specifier);
    if (file !== undefined) {
      const known = listed.get(file);
      if (known && !imported.has(file)) {
        return known[0]();
      }
      if (load && !file.includes("/node_modules/") && isSource(file)) {
        return loadOwn(file);
      }
    }
    return nativeImport(run, from, specifier, options);
  };

  const define = (name: string, value: unknown): void => void Object.defineProperty(globalThis, Symbol.for(name), { value });
  define("svc.modules", (modules: Record<string, Listed>) => {
    for (const [file, module] of Object.entries(modules)) {
      if (!listed.has(file)) {
        listed.set(file, module);
      }
    }
  });
  define("svc.module", sharedOf);
  define("svc.import", (from: string) => (to: unknown, options?: unknown) => importFrom(from, to, options));
  define("svc.resolve", (from: string) => (specifier: unknown) => resolver.href(from, String(specifier)));

  return {
    files: () => [...listed.keys()],
    has: (file) => listed.has(file),
    required,
    toRequire: () => [...listed].filter(([, [, toRequire]]) => toRequire).map(([file]) => file),
    evaluate(files) {
      const rest = files.filter((file) => !listed.get(file)?.[1] && !evaluated.has(file));
      const evaluate = async (file: string): Promise<void> => {
        const namespace = await listed.get(file)?.[0]();
        if (namespace) {
          evaluated.set(file, namespace);
        }
      };
      return rest.length === 0 ? undefined : Promise.all(rest.map(evaluate));
    },
  };
}

/** import() works only in code that Node's own loader has compiled. */
export function nativeImport(run: RunCommonJs, from: string, to: unknown, options?: unknown): Promise<Namespace> {
  return (run(kImportText, from) as (to: unknown, options?: unknown) => Promise<Namespace>)(to, options);
}

const kImportText =
  `for (const id of ${JSON.stringify(kAdjusted)}) require(id); ` +
  "module.exports = (to, options) => options === undefined ? import(to) : import(to, options)";

/** The namespace of an ES module as it is; CommonJS exports the way `import` shows them. */
export function namespaceOf(exports: unknown): Namespace {
  if (typeof exports === "object" && exports !== null && (exports as { __esModule?: unknown }).__esModule === true) {
    return exports as Namespace;
  }
  const named = typeof exports === "object" || typeof exports === "function" ? (exports as object) : {};
  return { ...named, default: exports };
}

/** What a bundle takes these exports from: they stay live, and `default` has a name that is free in CommonJS. */
function shareOf(namespace: Namespace): object {
  const exports = Object.defineProperty({}, "__esModule", { value: true });
  for (const name of Object.getOwnPropertyNames(namespace)) {
    if (name !== "__esModule" && name !== "svc:default") {
      Object.defineProperty(exports, name, { get: () => namespace[name], enumerable: true });
    }
  }
  return Object.defineProperty(exports, "svc:default", { get: () => namespace["default"] });
}

function readJson(builtin: BuiltinRequire, file: string): unknown {
  const text = builtin<typeof import("node:fs")>("fs").readFileSync(file, "utf8");
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new SyntaxError(`${file}: ${(error as Error).message}`);
  }
}
