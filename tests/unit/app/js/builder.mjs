// The builder as it ships, over plugins that a test writes.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync, existsSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const source = join(repository, "modules/app/builder");
const temporary = mkdtempSync(join(tmpdir(), "svc-builder-"));
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));

const toolchain = join(temporary, "toolchain");
export const kSdkVersion = "0.4.84";
const hostSdk = join(temporary, "host_sdk.txt");
buildSync({ entryPoints: [join(source, "host_sdk.ts")], outfile: hostSdk, bundle: true, format: "esm", target: "node22" });
buildSync({
  entryPoints: [join(source, "main.ts")],
  outfile: join(toolchain, "builder.mjs"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  loader: { ".css": "text", ".txt": "text" },
  alias: { "svc-host-sdk.txt": hostSdk },
  define: { __SVC_VERSION__: '"0.43.0"', __SDK_VERSION__: JSON.stringify(kSdkVersion) },
});
for (const file of ["build.mjs", "toolchain.mjs", "pins.json"]) {
  copyFileSync(join(source, file), join(toolchain, file));
}
symlinkSync(join(repository, "node_modules"), join(toolchain, "node_modules"));
export const program = join(toolchain, "build.mjs");
export { repository, temporary, toolchain };

const kApp = `import { definePluginApp } from "@get-svc/plugin-sdk/app";\nexport default definePluginApp(() => {});\n`;

/** A plugin directory. `files` add to, or replace, a plugin with a server and an app entry. */
export class Plugin {
  constructor(files = {}, manifest = {}) {
    this.root = mkdtempSync(join(temporary, "plugin-"));
    const base = { name: "svc-plugin-todo", version: "1.2.3", type: "module", svc: { server: "./server.ts", app: "./app.tsx" } };
    this.write({
      "package.json": JSON.stringify({ ...base, ...manifest, svc: { ...base.svc, ...manifest.svc } }),
      "server.ts": "export const secret = 1;\nexport type Contract = { a: number };\nexport default () => {};\n",
      "app.tsx": kApp,
      ...files,
    });
  }

  write(files) {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** Puts a package into node_modules. */
  install(name, files, manifest = {}) {
    const inside = Object.fromEntries(Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text]));
    this.write({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", main: "index.js", ...manifest }),
      ...inside,
    });
  }

  read(name) {
    return readFileSync(join(this.root, name), "utf8");
  }
  has(name) {
    return existsSync(join(this.root, name));
  }
  list(directory) {
    return existsSync(join(this.root, directory)) ? readdirSync(join(this.root, directory)).sort() : [];
  }

  build(...flags) {
    return this.run("build", ...flags);
  }

  /** Runs `build.mjs build` or `check`; the answer is what it printed. */
  run(command, ...flags) {
    let status = 0;
    let out;
    try {
      out = execFileSync(process.execPath, [program, command, "--root", this.root, "--json", ...flags], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
    } catch (failure) {
      ({ status, stdout: out } = failure);
      if (status === null || out === "") {
        throw failure;
      }
    }
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const of = (type) => lines.filter((line) => line.type === type);
    return {
      status,
      lines,
      errors: of("error"),
      warnings: of("warning"),
      wrote: of("wrote").map((line) => line.path),
      types: lines.map((line) => line.type),
    };
  }
}

/** `build.mjs serve`: one request at a time. */
export class Served {
  #child;
  #lines;
  #id = 0;

  constructor(env = {}) {
    this.#child = spawn(process.execPath, [program, "serve"], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async request(root, targets, { minify = false, foreign = false } = {}) {
    this.#child.stdin.write(`${JSON.stringify({ id: ++this.#id, root, targets, minify, foreign })}\n`);
    const lines = [];
    while (lines.at(-1)?.type !== "done") {
      lines.push(JSON.parse((await this.#lines.next()).value));
    }
    return lines;
  }
  send(text) {
    this.#child.stdin.write(text);
  }
  async line() {
    return JSON.parse((await this.#lines.next()).value);
  }
  /** Its exit code, once its input has ended. */
  async close() {
    this.#child.stdin.end();
    return await new Promise((resolve) => this.#child.once("exit", resolve));
  }
}

/** The default export of a built bundle, over a runtime with these slots. */
export async function load(plugin, runtime, file = "dist/app.js") {
  globalThis.__svcPluginRuntime = runtime;
  const text = Buffer.from(plugin.read(file)).toString("base64");
  return (await import(`data:text/javascript;base64,${text}`)).default;
}
