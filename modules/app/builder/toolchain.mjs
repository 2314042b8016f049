// Finds the packages of the build: beside this file, as the service ships them, else installed once where it is told to.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const pins = JSON.parse(readFileSync(join(here, "pins.json"), "utf8"));
const kMarker = "svc-toolchain.json";

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};

const hasPackages = (directory) =>
  Object.entries(pins).every(([name, version]) => readJson(join(directory, "node_modules", name, "package.json"))?.version === version);

const isInstalled = (directory) => JSON.stringify(readJson(join(directory, kMarker))) === JSON.stringify(pins) && hasPackages(directory);

const progress = (message) => console.log(JSON.stringify({ type: "progress", message }));

async function runNpm(directory) {
  const words = ["install", "--ignore-scripts", "--no-package-lock", "--no-fund", "--no-audit"];
  const npm = spawn("npm", words, { cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  npm.stderr.on("data", (bytes) => {
    said = `${said}${bytes}`.slice(-2000);
  });
  await new Promise((resolve, reject) => {
    npm.on("error", (failure) => reject(new Error(`the build toolchain cannot be installed: npm: ${failure.message}`)));
    npm.on("close", (code) => {
      if (code === 0) {
        resolve();
      } else {
        reject(new Error(`the build toolchain cannot be installed: npm ended with ${code}: ${said.trim()}`));
      }
    });
  });
}

async function install(directory) {
  const start = performance.now();
  progress("installing the build toolchain, once");
  mkdirSync(dirname(directory), { recursive: true });
  const stage = mkdtempSync(`${directory}.stage-`);
  process.once("exit", () => rmSync(stage, { recursive: true, force: true }));
  writeFileSync(join(stage, "package.json"), JSON.stringify({ private: true, dependencies: pins }));
  await runNpm(stage);
  if (!hasPackages(stage)) {
    throw new Error("the build toolchain cannot be installed: npm left packages out");
  }
  writeFileSync(join(stage, kMarker), JSON.stringify(pins));
  rmSync(directory, { recursive: true, force: true });
  renameSync(stage, directory);
  progress(`installed the build toolchain in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** The address of builder.mjs beside its packages. `parent` is the directory in which toolchains are kept. */
export async function findBuilder(parent) {
  if (hasPackages(here)) {
    return pathToFileURL(join(here, "builder.mjs")).href;
  }
  if (parent === undefined) {
    throw new Error(`the packages of the build are missing in ${here}: this installation is incomplete, install the service again`);
  }
  const directory = join(parent, `toolchain-${pins.esbuild}-${pins.tailwindcss}`);
  if (!isInstalled(directory)) {
    await install(directory);
  }
  // It resolves its packages from where it stands.
  const builder = join(directory, "builder.mjs");
  if (!existsSync(builder) || readFileSync(builder, "utf8") !== readFileSync(join(here, "builder.mjs"), "utf8")) {
    copyFileSync(join(here, "builder.mjs"), builder);
  }
  return pathToFileURL(builder).href;
}
