/**
 * The dependencies of an entry, bundled apart from the author's files: in the cache folder of the plugin, `dependencies.cjs`
 * is the text, `dependencies.map` its source map, and `dependencies.json` says what it was made of. The builder writes them,
 * the loader runs the text.
 */
import { changedSince, replaceFile, statesOf } from "./file_states.js";

type Path = typeof import("node:path");

/** Where the files are, and how to get at them from here. */
export interface DependenciesFolder {
  folder: string;
  nodeVersion: string;
  fs: typeof import("node:fs");
  path: Path;
  sha256(text: string): string;
}

/** Changes when the form of what is kept, or the way it is built, changes. */
const kFormat = 3;

/** A file of a dependency that the author's files import, and the names it exports. */
export interface DependencyEntry {
  file: string;
  names: string[];
}

export interface DependenciesRecord {
  /** The text exports a function for each, in this order, that evaluates it at its first call and answers its exports. */
  entries: DependencyEntry[];
  /** Digest of the text; nothing when these entries cannot be told apart from the author's files. */
  digest: string | undefined;
  /** The text has an `import(…)` whose target is found when it runs: it may be a file of the author. */
  importsAtRunTime: boolean;
}

interface KeptRecord extends DependenciesRecord {
  version: string;
  watched: string[];
  states: string;
}

export const kDependenciesText = "dependencies.cjs";
/** The digest of the text on a line, then the source map; sources are relative to the root folder. */
export const kDependenciesMap = "dependencies.map";
const kRecord = "dependencies.json";
const kNodeModules = "/node_modules/";

const versionOf = (nodeVersion: string): string => `${kFormat} ${nodeVersion}`;

/** Nothing when there is none, or when it no longer holds. */
export function readDependencies({ folder, nodeVersion, fs, path, sha256 }: DependenciesFolder): DependenciesRecord | undefined {
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder, kRecord), "utf8");
  } catch {
    return undefined;
  }
  const [seal, json] = text.split("\n", 2);
  if (json === undefined || sha256(json) !== seal) {
    return undefined;
  }
  const kept = JSON.parse(json) as KeptRecord;
  return kept.version === versionOf(nodeVersion) && statesOf(fs, kept.watched) === kept.states ? kept : undefined;
}

export interface DependenciesBuild {
  record: DependenciesRecord;
  text: string;
  map: string;
  /** Every file that went in, absolute. */
  inputs: string[];
  /** When the first of them may have been read, in milliseconds. */
  started: number;
}

/** False when the build cannot be kept: the folder is not writable, or a file was changed during the build. */
export function writeDependencies({ folder, nodeVersion, fs, path, sha256 }: DependenciesFolder, build: DependenciesBuild): boolean {
  const watched = watchedBy(path, build.inputs);
  if (changedSince(fs, watched, build.started)) {
    return false;
  }
  const kept: KeptRecord = { ...build.record, version: versionOf(nodeVersion), watched, states: statesOf(fs, watched) };
  const json = JSON.stringify(kept);
  try {
    fs.mkdirSync(folder, { recursive: true });
    replaceFile(fs, path.join(folder, kDependenciesText), build.text);
    replaceFile(fs, path.join(folder, kDependenciesMap), `${build.record.digest ?? ""}\n${build.map}`);
    replaceFile(fs, path.join(folder, kRecord), `${sha256(json)}\n${json}`);
    return true;
  } catch {
    return false;
  }
}

/**
 * The files; their folders up to the outermost node_modules, because a new file or package there can change what an import
 * means, with the package.json of each; and the places farther out where Node looks for packages.
 */
function watchedBy(path: Path, inputs: string[]): string[] {
  const names = new Set(inputs);
  const outermost = new Set<string>();
  for (const input of inputs) {
    const at = input.indexOf(kNodeModules);
    const last = at < 0 ? path.dirname(input) : input.slice(0, at + kNodeModules.length - 1);
    outermost.add(last);
    for (let folder = path.dirname(input); !names.has(folder); folder = path.dirname(folder)) {
      names.add(folder);
      names.add(path.join(folder, "package.json"));
      if (folder === last) {
        break;
      }
    }
  }
  for (const last of outermost) {
    let folder = last;
    do {
      folder = path.dirname(folder);
      names.add(path.join(folder, "node_modules"));
    } while (folder !== path.dirname(folder));
  }
  return [...names];
}
