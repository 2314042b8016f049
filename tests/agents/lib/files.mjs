import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes files below a directory; what is no text becomes JSON. */
export function writeFiles(directory, files) {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** Adds a member to an object in a JSON file, which may not be there yet. */
export function addToJson(file, member, entries) {
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  writeFiles("/", { [file]: { ...before, [member]: { ...before[member], ...entries } } });
}
