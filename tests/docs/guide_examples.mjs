// What the pages of docs/guide show as TypeScript.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { registryItems } from "../../scaffold/build_registry.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const guide = join(root, "docs/guide");
export const pages = readdirSync(guide).filter((name) => name.endsWith(".md"));

/**
 * The environment without what belongs to the developer's own server, and to the test that runs. What servers have compiled of the
 * runtime is the same for all of them.
 */
export function plainEnvironment() {
  const foreign = /^(SVC_(?!JSRUNTIME_CODE_CACHE$)|XDG_|NODE_TEST)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** What `svc plugin add` copies into a plugin, for the pages that use it. */
export function writeComponents(directory) {
  for (const { path, content } of registryItems().flatMap(({ files }) => files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** A block says in its first line which file it is: `// server.ts`. */
function examplesOf(page) {
  const text = readFileSync(join(guide, page), "utf8");
  return [...text.matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code]) => {
    const [, path] = /^\/\/ (\S+\.tsx?)\b/.exec(code) ?? [];
    assert.ok(path, `${page}: the first line of an example names its file, such as "// server.ts":\n${code}`);
    return { path, code };
  });
}

/** Writes the examples of each page into a directory of its own below `directory`. Gives their paths by the page's name. */
export function writeExamples(directory) {
  return new Map(
    pages.map((page) => {
      const name = page.replace(/\.md$/, "");
      const files = examplesOf(page);
      const paths = files.map(({ path }) => path);
      assert.equal(new Set(paths).size, paths.length, `${page} has two examples of one name: ${paths.join(", ")}`);
      for (const { path, code } of files) {
        const file = join(directory, name, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, code);
      }
      return [name, paths];
    }),
  );
}
