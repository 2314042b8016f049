/** What `npm pack` would leave out of a plugin's package. `svc plugin build` says the same (client/src/package_files.cpp). */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** One sentence for each folder that an installed plugin needs and the package would lack. */
export function missingFromPackage(root: string, manifest: Record<string, unknown>): string[] {
  const svc = (manifest.svc ?? {}) as Record<string, unknown>;
  const skills = (Array.isArray(svc.skills) ? svc.skills : ["skills"]).filter((each) => typeof each === "string").map(nameOf);
  const folders = skills.filter((each) => each !== "" && isFolder(join(root, each)));
  return ["dist", ...folders].flatMap((folder) => {
    const reason = reasonFor(root, manifest.files, folder);
    return reason === undefined ? [] : [`package.json: npm leaves ${folder} out of the package, because ${reason}`];
  });
}

function reasonFor(root: string, files: unknown, folder: string): string | undefined {
  if (Array.isArray(files)) {
    const patterns = files.filter((each) => typeof each === "string");
    return decides(patterns, (each) => isIncluded(each, folder)) ? undefined : `"files" does not list it`;
  }
  // npm reads the second one only where the first one is not there.
  const ignore = [".npmignore", ".gitignore"].find((each) => existsSync(join(root, each)));
  const lines = ignore === undefined ? [] : readFileSync(join(root, ignore), "utf8").split("\n");
  return decides(lines, (each) => nameOf(each) === folder) ? `${ignore} lists it and there is no "files"` : undefined;
}

/** The last pattern that fits decides; `!` takes back. */
function decides(patterns: string[], fits: (pattern: string) => boolean): boolean {
  return patterns.reduce((is, each) => {
    const pattern = each.trim();
    return pattern.startsWith("!") ? is && !fits(pattern.slice(1)) : is || fits(pattern);
  }, false);
}

/** Patterns for some files of the folder count as well: their author has thought of it. */
function isIncluded(pattern: string, folder: string): boolean {
  const name = nameOf(pattern);
  return name === "" || name === folder || folder.startsWith(`${name}/`) || name.startsWith(`${folder}/`);
}

/** `./dist/**` is `dist`; what means everything is empty. */
function nameOf(pattern: string): string {
  return pattern
    .trim()
    .replace(/^(\.?\/|\*\*\/)+/, "")
    .replace(/(^|\/)(\*{1,2}|\.)?$/, "")
    .replace(/\/(\*{1,2})?$/, "");
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
