import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Metafile } from "esbuild";

/** Names the package that owns a file: the nearest package.json with a name. */
export class Owners {
  readonly #names = new Map<string, string | undefined>();

  nameOf(file: string): string | undefined {
    const directory = dirname(file);
    if (this.#names.has(directory)) {
      return this.#names.get(directory);
    }
    const name = this.#read(directory);
    this.#names.set(directory, name);
    return name;
  }

  #read(directory: string): string | undefined {
    try {
      const { name } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { name?: unknown };
      if (typeof name === "string" && name !== "") {
        return name;
      }
    } catch {
      // Most directories have none.
    }
    const parent = dirname(directory);
    return parent === directory ? undefined : this.nameOf(join(parent, "package.json"));
  }
}

const isFile = (input: string): boolean => !/^[a-z-]+:/.test(input);

/** Files whose code is in the output, absolute. */
export function bundledFiles(root: string, metafile: Metafile, output: string): string[] {
  const inputs = metafile.outputs[output]?.inputs ?? {};
  return Object.keys(inputs)
    .filter(isFile)
    .map((input) => resolve(root, input));
}

/** The file that imports `input` first, as the build names it. */
export function importerOf(metafile: Metafile, input: string): { importer: string; specifier: string } | undefined {
  for (const [importer, { imports }] of Object.entries(metafile.inputs)) {
    const found = imports.find((each) => each.path === input);
    if (found) {
      return { importer, specifier: found.original ?? input };
    }
  }
  return undefined;
}
