// The clients under test, from npm by name and exact version, each in a directory of its own outside the project's packages.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { arch } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const kRoot = join(import.meta.dirname, "../../..");
const kPackages = JSON.parse(readFileSync(join(kRoot, "tests/agents/packages.json"), "utf8"));
const kHome = process.env.SVC_AGENTS_DIR ?? join(kRoot, ".deps/agents");

/** `{ "@openai/codex": "0.169.0" }`; the package of Node.js is named after the machine. */
function wantedOf(name) {
  return Object.fromEntries(
    Object.entries(kPackages[name]).map(([pack, version]) => [pack.replace("linux-x64", `linux-${arch()}`), version]),
  );
}

const kLoader = "load.mjs";
const directoryOf = (name) => join(kHome, name);
const manifestOf = (name) => `${JSON.stringify({ private: true, dependencies: wantedOf(name) }, null, 2)}\n`;

export function isInstalled(name) {
  const stamp = join(directoryOf(name), "installed.json");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === manifestOf(name);
}

/** A version, for reports. */
export const versionOf = (name) => Object.values(kPackages[name])[0];

/** Nothing is left of an older version, or of an installation that did not come to its end. */
export function install(name) {
  const directory = directoryOf(name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), manifestOf(name));
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"], {
    cwd: directory,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) {
    throw new Error(`npm could not install ${Object.entries(wantedOf(name)).join(" ")} (output above)`);
  }
  writeFileSync(join(directory, kLoader), "export const load = (module) => import(module);\n");
  writeFileSync(join(directory, "installed.json"), manifestOf(name));
}

/** The directory with the program `node` that the clients want, for PATH. */
export const nodeDirectory = () => join(directoryOf("node"), "node_modules/.bin");
export const program = (name, file = name) => join(directoryOf(name), "node_modules/.bin", file);

/** The directory of the program `rg` that comes with Codex; some agents fetch one from elsewhere when none is there. */
export function ripgrepDirectory() {
  const vendor = join(directoryOf("codex"), `node_modules/@openai/codex-linux-${arch()}/vendor`);
  return existsSync(vendor) ? join(vendor, readdirSync(vendor)[0], "codex-path") : "";
}

/** A module of a package that is installed there: it is named as a script beside the package names it. */
export async function load(name, module) {
  const { load: loadHere } = await import(pathToFileURL(join(directoryOf(name), kLoader)).href);
  return loadHere(module);
}
