// Plugins under test: fixtures, examples and the scaffold, copied to a scratch directory where they can be built and edited.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const kRoot = fileURLToPath(new URL("../../../", import.meta.url));
const kFixtures = join(kRoot, "window/e2e/fixtures");

export interface PluginDirectory {
  readonly id: string;
  readonly dir: string;
  read(file: string): string;
  /** Writes a file so that every build notices: its time lies after that of all bundles. */
  write(file: string, text: string): void;
  /** Replaces text that must be there. */
  edit(file: string, from: string | RegExp, to: string): void;
}

let lastTime = Date.now();

function directory(id: string, dir: string): PluginDirectory {
  const read = (file: string) => readFileSync(join(dir, file), "utf8");
  const write = (file: string, text: string) => {
    writeFileSync(join(dir, file), text);
    // File systems round times; a second apart is noticed by all of them.
    lastTime = Math.max(lastTime + 1_000, Date.now());
    utimesSync(join(dir, file), lastTime / 1_000, lastTime / 1_000);
  };
  return {
    id,
    dir,
    read,
    write,
    edit: (file, from, to) => {
      const before = read(file);
      const after = before.replace(from, to);
      if (after === before) {
        throw new Error(`${file} of ${id} does not contain ${String(from)}`);
      }
      write(file, after);
    },
  };
}

/** Packages of this repository, as an author's `npm install` would provide them. */
function linkModules(dir: string): void {
  if (!existsSync(join(dir, "node_modules"))) {
    symlinkSync(join(kRoot, "node_modules"), join(dir, "node_modules"));
  }
}

interface Manifest {
  name: string;
  svc: { name?: string; [key: string]: unknown };
}

function copy(source: string, scratch: string, as?: { id: string; name?: string }): PluginDirectory {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  const id = as?.id ?? manifest.name.replace(/^svc-plugin-/, "");
  const dir = join(scratch, `svc-plugin-${id}`);
  cpSync(source, dir, { recursive: true, filter: (path) => !/\/(node_modules|dist)(\/|$)/.test(path.slice(source.length)) });
  if (as !== undefined) {
    manifest.name = `svc-plugin-${id}`;
    manifest.svc = { ...manifest.svc, name: as.name ?? id };
    writeFileSync(join(dir, "package.json"), JSON.stringify(manifest, null, 2));
  }
  linkModules(dir);
  return directory(id, dir);
}

/** A copy of `e2e/fixtures/<name>`, under another id when one is given. */
export function fixture(scratch: string, name: string, as?: { id: string; name?: string }): PluginDirectory {
  return copy(join(kFixtures, name), scratch, as);
}

/** A copy of `examples/<name>`. */
export function example(scratch: string, name: string): PluginDirectory {
  return copy(join(kRoot, "examples", name), scratch);
}

/** What `svc plugin new <name>` makes; packages come from this repository, not from the network. */
export function scaffold(scratch: string, svc: string, name: string): PluginDirectory {
  const bin = join(scratch, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "npm"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const made = spawnSync(svc, ["plugin", "new", name], {
    cwd: scratch,
    encoding: "utf8",
    env: { ...process.env, PATH: bin + delimiter + (process.env.PATH ?? "") },
  });
  if (made.status !== 0) {
    throw new Error(`svc plugin new ${name} failed:\n${made.stdout}${made.stderr}`);
  }
  const dir = join(scratch, `svc-plugin-${name}`);
  linkModules(dir);
  return directory(name, dir);
}
