import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function nearest(root: string): string | undefined {
  for (let directory = root; ; directory = dirname(directory)) {
    const file = join(directory, "tsconfig.json");
    if (isFile(file)) {
      return file;
    }
    if (dirname(directory) === directory) {
      return undefined;
    }
  }
}

/** The value of "jsx" in a file, or in those of its own directory tree that it extends. */
function jsxOf(file: string, depth = 0): string | undefined {
  const text = readFileSync(file, "utf8");
  const own = /"jsx"\s*:\s*"([^"]*)"/.exec(text)?.[1];
  const base = /"extends"\s*:\s*"(\.[^"]*)"/.exec(text)?.[1];
  if (own !== undefined || base === undefined || depth > 8) {
    return own;
  }
  const path = isAbsolute(base) ? base : resolve(dirname(file), base);
  const found = [path, `${path}.json`].find(isFile);
  return found === undefined ? undefined : jsxOf(found, depth + 1);
}

let directory: string | undefined;

/**
 * What esbuild reads instead of the plugin's tsconfig.json when that asks for another JSX runtime: esbuild prefers it to
 * its own options, and only the production runtime exists in the app window. Undefined when nothing has to change.
 */
export function tsconfigFor(root: string): string | undefined {
  const file = nearest(root);
  const jsx = file === undefined ? undefined : jsxOf(file);
  if (file === undefined || jsx === undefined || jsx.toLowerCase() === "react-jsx") {
    return undefined;
  }
  if (directory === undefined) {
    directory = mkdtempSync(join(tmpdir(), "svc-build-"));
    process.on("exit", () => rmSync(directory!, { recursive: true, force: true }));
  }
  const out = join(directory, `${createHash("sha256").update(file).digest("hex").slice(0, 16)}.json`);
  writeFileSync(out, JSON.stringify({ extends: file, compilerOptions: { jsx: "react-jsx" } }));
  return out;
}
