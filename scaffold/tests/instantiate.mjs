import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** What `svc plugin new --template` offers beside the page, which is the template without the option. */
export const kTemplates = ["minimal", "service", "webhook", "host", "agent"];

export const kValues = {
  package: "svc-plugin-weekly-report",
  id: "weekly-report",
  skill: "weekly-report",
  tool: "weekly_report",
  title: "Weekly Report",
  svc_range: ">=0.43",
  sdk_range: ">=0.4.84",
  sdk_version: JSON.parse(readFileSync(join(root, "sdk/package.json"), "utf8")).version,
  base_url: "http://127.0.0.1:4700",
};

/** Relative paths of the files below `directory`. */
export function filesOf(directory) {
  return readdirSync(directory, { recursive: true })
    .filter((path) => !path.startsWith("node_modules") && statSync(join(directory, path)).isFile())
    .sort();
}

/** Writes the template to `target` as `svc plugin new` does. */
export function instantiate(target, values = kValues, template = "page") {
  const fill = (text) => text.replace(/\{\{(\w+)\}\}/g, (whole, name) => values[name] ?? whole);
  const sources = template === "page" ? ["template"] : ["templates/common", `templates/${template}`];
  for (const source of sources) {
    for (const path of filesOf(join(root, "scaffold", source))) {
      const file = join(target, fill(path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, fill(readFileSync(join(root, "scaffold", source, path), "utf8")));
    }
  }
  renameSync(join(target, "gitignore"), join(target, ".gitignore"));
}

/** Every package of the repository, and a real copy of the SDK, as an installed one is no link. */
export function installFromRepository(target) {
  const namesIn = (scope) =>
    readdirSync(join(root, "node_modules", scope))
      .filter((name) => !name.startsWith("."))
      .flatMap((name) => (name.startsWith("@") && scope === "" ? namesIn(name) : [join(scope, name)]));
  installSome(
    target,
    namesIn("").filter((path) => path !== "@get-svc/plugin-sdk"),
  );
}

/** The SDK, and these packages of the repository. */
export function installSome(target, packages) {
  const modules = join(target, "node_modules");
  for (const path of packages) {
    mkdirSync(dirname(join(modules, path)), { recursive: true });
    symlinkSync(realpathSync(join(root, "node_modules", path)), join(modules, path));
  }
  const sdk = join(modules, "@get-svc/plugin-sdk");
  mkdirSync(sdk, { recursive: true });
  cpSync(join(root, "sdk/package.json"), join(sdk, "package.json"));
  cpSync(join(root, "sdk/dist"), join(sdk, "dist"), { recursive: true });
}
