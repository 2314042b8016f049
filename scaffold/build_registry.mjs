// build_registry.mjs <out>: the components that authors take into their plugins, one file each in the format of the shadcn command
// (https://ui.shadcn.com/schema/registry-item.json), and registry.json, which lists them.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/** How components.json calls this registry (template/components.json). */
const kNamespace = "@svc";
const readJson = (path) => JSON.parse(readFileSync(join(here, path), "utf8"));

/** What the template has is there once; the others are beside registry.json. */
function sourceOf(path) {
  const file = [join(here, "template", path), join(here, "registry", path)].find(existsSync);
  if (file === undefined) {
    throw new Error(`registry.json names ${path}, which is not there`);
  }
  return readFileSync(file, "utf8");
}

const importsOf = (text) => [...text.matchAll(/^(?:import|export)\b[^"]*? from "([^"]+)";/gms)].map(([, specifier]) => specifier);
const packageOf = (specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

/** The items with their files and what these import: other items, and packages at the versions of the template. */
export function registryItems() {
  const { items } = readJson("registry/registry.json");
  const { dependencies, devDependencies } = readJson("template/package.json");
  const itemOf = new Map(items.flatMap(({ name, files }) => files.map((file) => [`@/${file.replace(/\.tsx?$/, "")}`, name])));
  return items.map(({ files: paths, ...item }) => {
    const files = paths.map((path) => ({ path, type: item.type, content: sourceOf(path) }));
    const imports = [...new Set(files.flatMap(({ content }) => importsOf(content)))];
    const others = imports
      .filter((specifier) => specifier.startsWith("@/"))
      .map((specifier) => itemOf.get(specifier) ?? missing(specifier));
    // What JSX becomes is in react, also where nothing is imported from there; a plugin without a page has neither.
    const usesReact = imports.includes("react") || paths.some((path) => path.endsWith(".tsx"));
    const imported = imports.filter((specifier) => !specifier.startsWith("@/")).map(packageOf);
    const packages = [...new Set([...imported, ...(usesReact ? ["@types/react", "react"] : [])])];
    const at = (versions) => packages.filter((name) => Object.hasOwn(versions, name)).map((name) => `${name}@${versions[name]}`);
    return {
      $schema: "https://ui.shadcn.com/schema/registry-item.json",
      ...item,
      dependencies: at(dependencies),
      devDependencies: at(devDependencies),
      registryDependencies: others.map((name) => `${kNamespace}/${name}`),
      files,
    };
  });
}

function missing(specifier) {
  throw new Error(`${specifier} is imported, and registry.json does not have it`);
}

export function buildRegistry(out) {
  const items = registryItems();
  mkdirSync(out, { recursive: true });
  for (const item of items) {
    writeFileSync(join(out, `${item.name}.json`), `${JSON.stringify(item, null, 2)}\n`);
  }
  const listed = items.map(({ $schema: _, files, ...item }) => ({ ...item, files: files.map(({ path, type }) => ({ path, type })) }));
  writeFileSync(join(out, "registry.json"), `${JSON.stringify({ ...readJson("registry/registry.json"), items: listed }, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = process.argv[2];
  // Built aside, so that a server whose folder this is always has whole files.
  rmSync(`${out}.new`, { recursive: true, force: true });
  buildRegistry(`${out}.new`);
  rmSync(out, { recursive: true, force: true });
  renameSync(`${out}.new`, out);
}
