// assemble.mjs <source> <out>: a bundled plugin as the server ships it, with the documents it shows and the digests of its files.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { placeOf, relink } from "./links.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const [source, out] = process.argv.slice(2);
/** What only hands on the others, and what authors never see. */
const kNoTopics = ["index.ts", "runtime-slots.ts", "json_problem.ts", "method_name.ts"];
/** What the guide leads to outside of itself. */
const kTopics = ["tutorial.md", "threads.md", "operations.md", "security.md"];
const kNoSources = ["node_modules", "dist", "package-lock.json"];

rmSync(out, { recursive: true, force: true });
cpSync(source, out, { recursive: true, filter: (path) => ![...kNoSources, "tests"].includes(basename(path)) });

if (basename(source) === "plugin-author") {
  copy(join(project, "docs/guide"), "guide", (file) => file.endsWith(".md") && file !== "README.md");
  copy(join(project, "docs"), "guide", (file) => kTopics.includes(file));
  cpSync(join(project, "examples"), join(out, "examples"), {
    recursive: true,
    filter: (path) => !kNoSources.includes(basename(path)),
  });
  standAlone(join(out, "examples"));
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
  const has = (path) => existsSync(join(out, path));
  const pages = readdirSync(join(out, "guide")).map((file) => [`guide/${file}`, kTopics.includes(file) ? "" : "guide", ""]);
  for (const [page, from, up] of [...pages, ["reference/commands.md", "", "../guide/"]]) {
    const find = (path) => {
      const place = placeOf(join(from, path), has);
      return place === undefined || place.startsWith("../") ? place : up + place;
    };
    writeFileSync(join(out, page), relink(readFileSync(join(out, page), "utf8"), find));
  }
  for (const example of readdirSync(join(out, "examples")).filter((name) => !name.includes("."))) {
    const page = join(out, "examples", example, "README.md");
    const find = (path) => {
      const place = placeOf(relative("docs", join("examples", example, path)), has);
      return place === undefined ? undefined : join("../../guide", place);
    };
    writeFileSync(page, relink(readFileSync(page, "utf8"), find));
  }
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

/** Gives every example the compiler options that it shares with the others in the repository, so that its folder can be copied. */
function standAlone(examples) {
  const read = (file) => JSON.parse(readFileSync(join(examples, file), "utf8"));
  const optionsOf = ({ extends: base, compilerOptions }, folder) =>
    base === undefined ? compilerOptions : { ...optionsOf(read(join(folder, base)), dirname(join(folder, base))), ...compilerOptions };
  const folders = readdirSync(examples).filter((name) => existsSync(join(examples, name, "tsconfig.json")));
  for (const folder of folders) {
    const { extends: base, compilerOptions, ...rest } = read(join(folder, "tsconfig.json"));
    const flat = { compilerOptions: optionsOf({ extends: base, compilerOptions }, folder), ...rest };
    writeFileSync(join(examples, folder, "tsconfig.json"), `${JSON.stringify(flat, null, 2)}\n`);
  }
  for (const file of readdirSync(examples).filter((name) => name.startsWith("tsconfig"))) {
    rmSync(join(examples, file));
  }
}
