/**
 * Runs the text of an entry's dependencies, which the builder keeps apart from the author's files (dependencies_record.ts).
 * Each environment evaluates it anew; what V8 made of it is kept beside it, because compiling takes longer than running.
 */
import type { BuiltinRequire } from "../binding.js";
import { kDependenciesMap, kDependenciesText } from "../dependencies_record.js";
import { replaceFile } from "../file_states.js";

export interface Dependencies {
  /** Makes the text in `folder` available to the bundle of `entry`. False when it is not there or is damaged. */
  prepare(folder: string, digest: string, entry: string): boolean;
  /** Keeps what V8 has compiled so far, when nothing is kept yet, after the present turn of the event loop. */
  keepCompiled(): void;
  /** Names the files of dependencies in a stack that names the text. */
  nameSources(stack: string): string;
}

type Entries = (() => object)[];
type Script = import("node:vm").Script;
type SourceMap = import("node:module").SourceMap;
type Mapping = import("node:module").SourceMapping;

const kCompiled = "dependencies.compiled";
/** Hexadecimal SHA-256 and a line end. */
const kSealLength = 65;

export function makeDependencies(
  process: NodeJS.Process,
  builtin: BuiltinRequire,
  importFrom: (entry: string, to: unknown) => Promise<unknown>,
): Dependencies {
  const prepared = new Map<string, Entries>();
  const evaluated = new Map<string, object>();
  /** Of each text: the map, read at the first failure that needs it. */
  const maps = new Map<string, () => SourceMap | undefined>();
  let toKeep: (() => void) | undefined;

  Object.defineProperty(globalThis, Symbol.for("svc.dependencies"), {
    value: (digest: string, index: number) => {
      const key = `${index} ${digest}`;
      const exports = evaluated.get(key) ?? prepared.get(digest)?.[index]?.();
      if (exports === undefined) {
        throw new Error("the dependencies of this bundle are not loaded");
      }
      evaluated.set(key, exports);
      return exports;
    },
  });

  const sha256 = (data: string | Uint8Array): string =>
    builtin<typeof import("node:crypto")>("crypto").createHash("sha256").update(data).digest("hex");
  const fs = (): typeof import("node:fs") => builtin<typeof import("node:fs")>("fs");

  /** V8 trusts what it once made; so it must be what was written, for this text. */
  const seal = (digest: string, data: Uint8Array): string => sha256(`${digest} ${process.versions.v8} ${process.arch} ${sha256(data)}`);

  const readCompiled = (file: string, digest: string): Buffer | undefined => {
    try {
      const kept = fs().readFileSync(file);
      const data = kept.subarray(kSealLength);
      return kept.toString("latin1", 0, kSealLength - 1) === seal(digest, data) ? data : undefined;
    } catch {
      return undefined;
    }
  };

  const writeCompiled = (script: Script, file: string, digest: string): void => {
    try {
      const data = script.createCachedData();
      replaceFile(fs(), file, Buffer.concat([Buffer.from(`${seal(digest, data)}\n`), data]));
    } catch {
      // The next load compiles again.
    }
  };

  const readMap = (file: string, digest: string): SourceMap | undefined => {
    const { SourceMap } = builtin<typeof import("node:module")>("module");
    try {
      const kept = fs().readFileSync(file, "utf8");
      const end = kept.indexOf("\n");
      return kept.slice(0, end) === digest ? new SourceMap(JSON.parse(kept.slice(end + 1)) as never) : undefined;
    } catch {
      return undefined;
    }
  };

  return {
    prepare(folder, digest, entry) {
      const { join } = builtin<typeof import("node:path")>("path");
      const file = join(folder, kDependenciesText);
      const compiled = join(folder, kCompiled);
      let text: string;
      try {
        text = fs().readFileSync(file, "utf8");
      } catch {
        return false;
      }
      if (sha256(text) !== digest) {
        return false;
      }
      const cachedData = readCompiled(compiled, digest);
      // They were ES modules, which are always strict.
      const script = new (builtin<typeof import("node:vm")>("vm").Script)(
        `(function (require, exports, module) {"use strict";${text}\n})`,
        {
          filename: file,
          cachedData,
          importModuleDynamically: (to: unknown) => importFrom(entry, to) as never,
        },
      );
      const module = { exports: {} as { entries: Entries } };
      const require = builtin<typeof import("node:module")>("module").createRequire(entry);
      (script.runInThisContext() as (...of: unknown[]) => void)(require, module.exports, module);
      prepared.set(digest, module.exports.entries);
      maps.set(
        file,
        once(() => readMap(join(folder, kDependenciesMap), digest)),
      );
      if (cachedData === undefined || script.cachedDataRejected === true) {
        toKeep = () => writeCompiled(script, compiled, digest);
      }
      return true;
    },
    keepCompiled() {
      const keep = toKeep;
      toKeep = undefined;
      if (keep) {
        builtin<typeof import("node:timers")>("timers").setImmediate(keep);
      }
    },
    nameSources(stack) {
      let named = stack;
      for (const [file, map] of maps) {
        named = named
          .split(file)
          .map((text, index) => (index === 0 ? text : nameSource(file, text, map)))
          .join("");
      }
      return named;
    },
  };
}

/** `text` is what follows the name of `file` in a stack. */
function nameSource(file: string, text: string, map: () => SourceMap | undefined): string {
  const place = /^:(\d+):(\d+)/.exec(text);
  // It answers an empty object where it has nothing.
  const found = place ? (map()?.findEntry(Number(place[1]) - 1, Number(place[2]) - 1) as Partial<Mapping> | undefined) : undefined;
  if (!place || found?.originalLine === undefined || found.originalColumn === undefined) {
    return file + text;
  }
  return `/${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}${text.slice(place[0].length)}`;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
