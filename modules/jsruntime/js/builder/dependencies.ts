/**
 * Bundles the dependencies of an entry into a text of their own, which stays as long as none of their files changes: what is
 * built at a reload is the author's files. One text for all of them, so that what they share has one instance.
 */
import {
  readDependencies,
  writeDependencies,
  type DependenciesFolder,
  type DependenciesRecord,
  type DependencyEntry,
} from "../dependencies_record.js";
import { runBundler, type BundleOptions, type Toolchain } from "./bundler.js";
import { BundlerDied } from "./service.js";
import { kDefaultName } from "./module_table.js";
import { stubOf, unknownStub, type BundleParts } from "./rules.js";

declare const require: NodeJS.Require;

const { createHash } = require("node:crypto") as typeof import("node:crypto");
const fs = require("node:fs") as typeof import("node:fs");
const path = require("node:path") as typeof import("node:path");

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const inFolder = (folder: string): DependenciesFolder => ({ folder, nodeVersion: process.versions.node, fs, path, sha256 });

interface Built {
  entries: DependencyEntry[];
  text: string;
  map: string;
  importsAtRunTime: boolean;
}

export interface SharedDependencies {
  parts: BundleParts;
  /** The files of dependencies that the author's files import, after a run of the bundler with these parts. */
  imported: Set<string>;
  /** Those of them that the text does not have. */
  missing: Set<string>;
  record: DependenciesRecord | undefined;
}

/** Stubs for the text that is kept in `folder`, as far as there is one. */
export function sharedDependencies(record: DependenciesRecord | undefined): SharedDependencies {
  const digest = record?.digest;
  const places = new Map(record?.entries.map(({ file, names }, index) => [file, { index, names }]));
  const shared: SharedDependencies = {
    parts: { listed: record?.importsAtRunTime ? "always" : "asked" },
    imported: new Set(),
    missing: new Set(),
    record,
  };
  shared.parts.stub = (file) => {
    shared.imported.add(file);
    const place = places.get(file);
    if (place === undefined || digest === undefined) {
      shared.missing.add(file);
      return unknownStub();
    }
    return stubOf(digest, place.index, place.names);
  };
  return shared;
}

export function keptDependencies(folder: string): DependenciesRecord | undefined {
  return readDependencies(inFolder(folder));
}

/**
 * Builds and keeps the text for these files. The record has no digest when they need a file of the author, or cannot be
 * CommonJS; nothing when that cannot be kept.
 */
export async function buildDependencies(
  toolchain: Toolchain,
  folder: string,
  files: Iterable<string>,
): Promise<DependenciesRecord | undefined> {
  const started = Date.now();
  const sorted = [...files].sort();
  let authors = false;
  const parts: BundleParts = { onAuthorsFile: () => (authors = true), listed: "never" };
  const inputs = new Set(sorted);
  let built: Built | undefined;
  try {
    const [names, bundle] = await Promise.all([
      runBundler(toolchain, namesOptions(sorted), parts),
      runBundler(toolchain, textOptions(sorted), parts),
    ]);
    bundle.inputs.forEach((input) => inputs.add(input));
    const entries = sorted.map((file, index) => ({ file, names: names.metafile.outputs[`${nameOf(index)}.js`]?.exports ?? [] }));
    built = authors ? undefined : { entries, text: bundle.code, map: bundle.map, importsAtRunTime: bundle.importsAtRunTime };
  } catch (error) {
    if (error instanceof BundlerDied) {
      throw error;
    }
    // The bundle of everything says what is wrong, or does without CommonJS.
  }
  return keep(folder, sorted, built, [...inputs], started);
}

/** Remembers that the author's files and these are one bundle until one of the files changes. */
export function keepInseparable(folder: string, files: Iterable<string>, inputs: string[], started: number): void {
  keep(folder, [...files], undefined, inputs, started);
}

function keep(
  folder: string,
  files: string[],
  built: Built | undefined,
  inputs: string[],
  started: number,
): DependenciesRecord | undefined {
  const text = built?.text ?? "";
  // An author's file is built at every reload anyway.
  const watched = built ? inputs : inputs.filter((file) => file.includes("/node_modules/"));
  const record: DependenciesRecord = {
    entries: built?.entries ?? files.map((file) => ({ file, names: [] })),
    digest: built && sha256(text),
    importsAtRunTime: built?.importsAtRunTime ?? false,
  };
  const build = { record, text, map: built?.map ?? "", inputs: watched, started };
  return writeDependencies(inFolder(folder), build) ? record : undefined;
}

function textOptions(files: string[]): BundleOptions {
  const entries = files.map((file) => `() => share(require(${JSON.stringify(file)}))`);
  // What another text has brought along has it.
  const share =
    `(exports) => Object.hasOwn(exports, "${kDefaultName}") ? exports : ` +
    `Object.defineProperty(exports, "${kDefaultName}", { get: () => exports.default, enumerable: true })`;
  return {
    stdin: {
      contents: `const share = ${share};\nexport const entries = [${entries.join(",\n")}];`,
      resolveDir: "/",
      sourcefile: "<stdin>",
    },
    absWorkingDir: "/",
    outfile: "/dependencies.cjs",
    format: "cjs",
    sourcemap: "external",
    sourcesContent: false,
  };
}

const nameOf = (index: number): string => `entry${index}`;

/** The bundler lists exports for ES modules only. */
function namesOptions(files: string[]): BundleOptions {
  return {
    entryPoints: files.map((file, index) => ({ in: file, out: nameOf(index) })),
    absWorkingDir: "/",
    outdir: "/",
    format: "esm",
    splitting: true,
    sourcemap: false,
  };
}
