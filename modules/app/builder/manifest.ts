import { readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

import { BuildError } from "./messages";

export type Target = "server" | "app" | "host";

/** The parts of package.json a build needs. */
export interface Manifest {
  root: string;
  id: string;
  version: string;
  /** Absolute paths by target; only what is declared. */
  entries: Partial<Record<Target, string>>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Of npm's package names. */
const kLongestName = 214;

/** As the service derives it from the package's name. */
export function pluginIdOf(packageName: string): string {
  const last = packageName.slice(packageName.lastIndexOf("/") + 1).replace(/^svc-plugin-/, "");
  return last
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function entryPath(root: string, svc: Fields, target: Target): string | undefined {
  const key = `package.json: svc.${target}`;
  const value = svc[target];
  if (value === undefined) {
    return undefined;
  }
  if (typeof value !== "string" || value.trim() === "") {
    throw new BuildError(`${key}: must be a relative path`);
  }
  if (isAbsolute(value)) {
    throw new BuildError(`${key}: "${value}" is absolute; write it relative to package.json`);
  }
  const path = resolve(root, value);
  if (!isInside(root, path)) {
    throw new BuildError(`${key}: "${value}" leaves the plugin directory`);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new BuildError(`${key}: "${value}" does not exist or is not a file`);
  }
  const real = realpathSync(path);
  if (!isInside(root, real)) {
    throw new BuildError(`${key}: "${value}" is a link that leaves the plugin directory`);
  }
  return real;
}

function stringMap(value: unknown): Record<string, string> {
  if (!isObject(value)) {
    return {};
  }
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

export function readPackage(path: string, shown: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (failure) {
    throw new BuildError(`${shown} cannot be read: ${(failure as Error).message}`);
  }
  if (!isObject(parsed)) {
    throw new BuildError(`${shown} is not an object`);
  }
  return parsed;
}

/** What cannot be looked at is for those to report who need it. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
const entriesOf = (directory: string) => attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
const targetOf = (link: string) => attempt(() => statSync(link));

/** Whoever reads a FIFO waits for a writer, and a device need not end. */
function refuseSpecialFiles(root: string, directory = root): void {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules" && entry.name !== ".git") {
        refuseSpecialFiles(root, path);
      }
      continue;
    }
    const found = entry.isSymbolicLink() ? targetOf(path) : entry;
    const kind = found?.isFIFO() ? "FIFO" : found?.isBlockDevice() || found?.isCharacterDevice() ? "device" : undefined;
    if (kind !== undefined) {
      throw new BuildError(
        `${relative(root, path)} in the plugin's directory is a ${kind}: remove it, a plugin has files, directories and links`,
      );
    }
  }
}

export function readManifest(directory: string): Manifest {
  refuseSpecialFiles(directory);
  const fields = readPackage(join(directory, "package.json"), "package.json");
  const root = realpathSync(directory);
  const id = typeof fields.name === "string" ? pluginIdOf(fields.name) : "";
  if (id === "") {
    throw new BuildError("package.json: name: must be a package name that gives a plugin id");
  }
  if ((fields.name as string).length > kLongestName) {
    throw new BuildError(
      `package.json: name: has ${(fields.name as string).length} characters, the names of packages have at most ${kLongestName}`,
    );
  }
  if (typeof fields.version !== "string" || fields.version === "") {
    throw new BuildError("package.json: version: must be a version");
  }
  if (!isObject(fields.svc)) {
    throw new BuildError("package.json: svc: must be an object that names the entries");
  }
  const entries: Manifest["entries"] = {};
  for (const target of ["server", "app", "host"] as const) {
    const path = entryPath(root, fields.svc, target);
    if (path !== undefined) {
      entries[target] = path;
    }
  }
  return {
    root,
    id,
    version: fields.version,
    entries,
    dependencies: stringMap(fields.dependencies),
    devDependencies: stringMap(fields.devDependencies),
  };
}

/** Globs that a direct dependency declares for its class names, with the directory they are relative to. */
export function tailwindContent(manifest: Manifest): { base: string; pattern: string }[] {
  const out: { base: string; pattern: string }[] = [];
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).sort()) {
    const directory = packageDirectory(manifest.root, name);
    if (directory === undefined) {
      continue;
    }
    const shown = `node_modules/${name}/package.json`;
    const svc = readPackage(join(directory, "package.json"), shown).svc;
    const globs = isObject(svc) ? svc.pluginTailwindContent : undefined;
    if (globs === undefined) {
      continue;
    }
    const key = `${shown}: svc.pluginTailwindContent`;
    if (!Array.isArray(globs)) {
      throw new BuildError(`${key}: must be an array of globs`);
    }
    for (const glob of globs) {
      if (typeof glob !== "string" || glob.trim() === "" || isAbsolute(glob) || glob.split("/").includes("..")) {
        throw new BuildError(`${key}: ${JSON.stringify(glob)} is not a glob inside the package`);
      }
      out.push({ base: realpathSync(directory), pattern: glob.replace(/^\.\//, "") });
    }
  }
  return out;
}

/** Where a package is installed, looking upwards from the plugin as its imports do. */
export function packageDirectory(from: string, name: string): string | undefined {
  for (let directory = from; ; directory = resolve(directory, "..")) {
    const found = join(directory, "node_modules", name);
    if (statSync(join(found, "package.json"), { throwIfNoEntry: false })?.isFile() === true) {
      return found;
    }
    if (resolve(directory, "..") === directory) {
      return undefined;
    }
  }
}
