/**
 * The dependencies of an entry, bundled apart from the author's files: in the cache folder of the plugin, `dependencies.cjs`
 * is the text and `dependencies.json` says what it was made of. The builder writes both, the loader runs the text.
 */
import { changedSince, replaceFile, statesOf } from "./file_states.js";

type Fs = typeof import("node:fs");
type Path = typeof import("node:path");

/** Changes when the form of what is kept, or the way it is built, changes. */
const kFormat = 1;

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
}

interface KeptRecord extends DependenciesRecord {
  version: string;
  watched: string[];
  states: string;
}

export const kDependenciesText = "dependencies.cjs";
const kRecord = "dependencies.json";
const kNodeModules = "/node_modules/";

const versionOf = (nodeVersion: string): string => `${kFormat} ${nodeVersion}`;

/** Nothing when there is none, or when it no longer holds. */
export function readDependencies(fs: Fs, path: Path, folder: string, nodeVersion: string): DependenciesRecord | undefined {
  try {
    const kept = JSON.parse(fs.readFileSync(path.join(folder, kRecord), "utf8")) as KeptRecord;
    return kept.version === versionOf(nodeVersion) && statesOf(fs, kept.watched) === kept.states ? kept : undefined;
  } catch {
    return undefined; // never written, or damaged
  }
}

/**
 * Keeps a build that began at `started`. False when it cannot be kept: the folder is not writable, or a file was changed
 * during the build.
 */
export function writeDependencies(
  fs: Fs,
  path: Path,
  folder: string,
  nodeVersion: string,
  build: { record: DependenciesRecord; text: string; inputs: string[]; started: number },
): boolean {
  const watched = watchedBy(path, build.inputs);
  if (changedSince(fs, watched, build.started)) {
    return false;
  }
  const kept: KeptRecord = { ...build.record, version: versionOf(nodeVersion), watched, states: statesOf(fs, watched) };
  try {
    fs.mkdirSync(folder, { recursive: true });
    replaceFile(fs, path.join(folder, kDependenciesText), build.text);
    replaceFile(fs, path.join(folder, kRecord), JSON.stringify(kept));
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
