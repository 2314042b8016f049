import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { missingFromPackage } from "./package_files.ts";

export interface Findings {
  id: string;
  /** What keeps the plugin from being installed. */
  problems: string[];
  hints: string[];
}

type Manifest = Record<string, unknown>;

/** lim.skillDescription */
const kMaxDescription = 1024;
const kEntries = ["server", "app", "host"];

/** Looks at the files of a plugin without running any of them. The service itself decides at the install. */
export function checkPlugin(root: string): Findings {
  const findings: Findings = { id: "", problems: [], hints: [] };
  const manifest = readManifest(root, findings);
  if (manifest !== undefined) {
    findings.id = idOf(String(manifest.name ?? ""));
    checkManifest(manifest, findings);
    checkEntries(root, manifest, findings);
    checkSkills(root, manifest, findings);
    checkTypes(root, manifest, findings);
    findings.hints.push(...missingFromPackage(root, manifest));
  }
  return findings;
}

function readManifest(root: string, { problems }: Findings): Manifest | undefined {
  const file = join(root, "package.json");
  if (!existsSync(root)) {
    problems.push(`${root} is not there, or the server cannot read it`);
    return undefined;
  }
  try {
    const manifest = JSON.parse(readFileSync(file, "utf8")) as unknown;
    if (isObject(manifest)) {
      return manifest;
    }
    problems.push("package.json is not an object");
  } catch (error) {
    problems.push(`package.json cannot be read: ${(error as Error).message}`);
  }
  return undefined;
}

/** As the service makes it: the last part of the name without `svc-plugin-`. */
function idOf(name: string): string {
  const last = name.split("/").at(-1) ?? "";
  return last
    .replace(/^svc-plugin-/, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

function checkManifest(manifest: Manifest, { id, problems, hints }: Findings): void {
  if (id === "") {
    problems.push("package.json: name gives the plugin no id; call it svc-plugin-<name>");
  }
  if (typeof manifest.version !== "string" || !/^\d+\.\d+\.\d+/.test(manifest.version)) {
    problems.push("package.json: version must be a semantic version such as 0.1.0");
  }
  if (!isObject(manifest.svc)) {
    problems.push('package.json: svc is missing; it names the entries, such as { "server": "./server.ts" }');
  }
  if (manifest.type !== "module") {
    hints.push('package.json: "type": "module" is what entries are written as');
  }
  if (!isObject(manifest.engines) || typeof manifest.engines.svc !== "string") {
    hints.push("package.json: engines.svc says which versions of the service the plugin runs on");
  }
}

function checkEntries(root: string, { svc }: Manifest, { problems }: Findings): void {
  if (!isObject(svc)) {
    return;
  }
  for (const entry of kEntries.filter((each) => svc[each] !== undefined)) {
    const file = svc[entry];
    if (typeof file !== "string") {
      problems.push(`package.json: svc.${entry} must be a path`);
    } else if (isOutside(root, file)) {
      problems.push(`package.json: svc.${entry} leaves the folder: ${file}`);
    } else if (!isFile(join(root, file))) {
      problems.push(`svc.${entry} names ${file}, which is not there`);
    } else if (!/export\s+default|export\s*\{[^}]*\bdefault\b/.test(readFileSync(join(root, file), "utf8"))) {
      problems.push(`${file} has no default export`);
    }
  }
  if (svc.server === undefined) {
    problems.push("package.json: svc.server is missing; every plugin has a server entry");
  }
}

function checkSkills(root: string, { svc }: Manifest, { problems, hints }: Findings): void {
  const roots = isObject(svc) && Array.isArray(svc.skills) ? svc.skills : ["./skills"];
  const folders = roots.filter((each) => typeof each === "string").map((each) => join(root, each.replace(/\/\*$/, "")));
  for (const folder of folders) {
    const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
    for (const name of names.filter((each) => isSkillFolder(folder, each))) {
      const file = join(folder, name, "SKILL.md");
      const head = isFile(file) ? /^---\r?\n([\s\S]*?)\n---/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
      if (head === undefined) {
        problems.push(`${relative(root, file)} is missing, or does not begin with name and description between two lines ---`);
        continue;
      }
      const reasons = [wrongName(head, name), wrongDescription(head)].filter((each) => each !== undefined);
      hints.push(
        ...reasons.map((reason) => `${relative(root, file)}: ${reason}; the service skips this skill (see \`svc skill validate\`)`),
      );
    }
  }
}

function isSkillFolder(folder: string, name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules" && statSync(join(folder, name)).isDirectory();
}

/** In the words of `svc skill validate`, which also finds what takes more than a look at the lines. */
function wrongName(head: string, folder: string): string | undefined {
  const name = valueOf(head, "name");
  if (name === undefined) {
    return "name is missing";
  }
  return name === folder ? undefined : `name is "${name}", it must be that of the directory, "${folder}"`;
}

function wrongDescription(head: string): string | undefined {
  const description = valueOf(head, "description");
  const length = Array.from(description ?? "").length;
  if (description === undefined) {
    return "description is missing";
  }
  if (length === 0) {
    return "description must say what the skill does and when to use it";
  }
  return length > kMaxDescription ? `description has ${length} characters, the limit is ${kMaxDescription}` : undefined;
}

/** The text of a line of the head, with those that are indented below it. */
function valueOf(head: string, key: string): string | undefined {
  const found = new RegExp(`^${key}:(.*(?:\\n[ \\t]+.*)*)`, "m").exec(head)?.[1];
  return found
    ?.trim()
    .replace(/^[|>][+-]?\d?\s*/, "")
    .replace(/^(["'])([\s\S]*)\1$/, "$2")
    .replace(/\s*\n\s+/g, " ");
}

function checkTypes(root: string, { devDependencies }: Manifest, { hints }: Findings): void {
  if (!isFile(join(root, "tsconfig.json"))) {
    hints.push("there is no tsconfig.json: editors and `tsc --noEmit` need one (`svc plugin new` shows it)");
  }
  if (!isObject(devDependencies) || devDependencies["@get-svc/plugin-sdk"] === undefined) {
    hints.push("devDependencies lacks @get-svc/plugin-sdk, which has the types: run `svc plugin types`");
  }
}

function isOutside(root: string, file: string): boolean {
  return relative(root, resolve(root, file)).startsWith("..");
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
