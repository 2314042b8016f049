// assemble.mjs <source> <out>: a bundled plugin as the server ships it, with the documents it shows and the digests of its files.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const [source, out] = process.argv.slice(2);
/** What only hands on the others, and what authors never see. */
const kNoTopics = ["index.ts", "runtime-slots.ts", "json_problem.ts", "method_name.ts"];

rmSync(out, { recursive: true, force: true });
cpSync(source, out, { recursive: true, filter: (path) => !["tests", "node_modules", "dist"].includes(basename(path)) });

if (basename(source) === "plugin-author") {
  copy(join(project, "docs/guide"), "guide", (file) => file.endsWith(".md") && file !== "README.md");
  copy(join(project, "docs"), "guide", (file) => file === "tutorial.md");
  // `cli` is the topic of the types of commands.
  copy(
    join(project, "docs"),
    "reference",
    (file) => file === "cli.md",
    () => "commands.md",
  );
  copy(
    join(project, "sdk/src"),
    "reference",
    (file) => file.endsWith(".ts") && !kNoTopics.includes(file),
    (file) => (file === "runtime_slots.ts" ? "runtime-slots.d.ts" : file.replace(/\.ts$/, ".d.ts")),
  );
}

const files = readdirSync(out, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort();
const digests = Object.fromEntries(
  files.map((file) => [relative(out, file), createHash("sha256").update(readFileSync(file)).digest("hex")]),
);
writeFileSync(join(out, "digests.json"), `${JSON.stringify(digests, null, 1)}\n`);

function copy(from, folder, wanted, rename = (file) => file) {
  mkdirSync(join(out, folder), { recursive: true });
  for (const file of readdirSync(from).filter(wanted)) {
    cpSync(join(from, file), join(out, folder, rename(file)));
  }
}
