// Holds the built window to its budgets: node budgets.mjs <folder of the build>. Exit 1 when one is exceeded.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const KIB = 1024;
const ENTRY = "index.html";
/** The module that imports what every bundle may ask for; a chunk of its own. */
const RUNTIME = "src/runtime/slots.ts";
/** How many files a refusal names. */
const LARGEST = 8;

/** Bytes of JavaScript after gzip. */
export const BUDGETS = {
  /** L:boot-js: what the browser fetches before the shell is there, the entry and its static imports. */
  boot: 250 * KIB,
  /** L:runtime-js: the runtime slots without lazy ones, beyond what the boot has fetched. */
  runtime: 350 * KIB,
};

/** The files of a chunk and of everything it imports statically. */
function closure(manifest, key, files = new Set(), seen = new Set()) {
  const chunk = manifest[key];
  if (chunk === undefined || seen.has(key)) {
    return files;
  }
  seen.add(key);
  files.add(chunk.file);
  for (const imported of chunk.imports ?? []) {
    closure(manifest, imported, files, seen);
  }
  return files;
}

/**
 * `manifest` as Vite writes it, `gzipBytes` the size of a file by its name. Answers, for each budget, its parts, largest first.
 * Throws when the manifest has no entry.
 */
export function measure(manifest, gzipBytes) {
  if (manifest[ENTRY] === undefined) {
    throw new Error(`the manifest of the build has no ${ENTRY}`);
  }
  const boot = closure(manifest, ENTRY);
  const runtime = [...closure(manifest, RUNTIME)].filter((file) => !boot.has(file));
  const weigh = (name, files) => {
    const parts = files
      .filter((file) => file.endsWith(".js"))
      .map((file) => ({ file, bytes: gzipBytes(file) }))
      .sort((a, b) => b.bytes - a.bytes);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    return { name, bytes, limit: BUDGETS[name], parts };
  };
  return [weigh("boot", [...boot]), weigh("runtime", runtime)];
}

const kib = (bytes) => `${(bytes / KIB).toFixed(1)} KiB`;

/** One line per budget, and what is largest where one is exceeded. */
export function report(measured) {
  return measured.flatMap(({ name, bytes, limit, parts }) => {
    const line = `${name} JavaScript: ${kib(bytes)} gzip of ${kib(limit)} (L:${name}-js)`;
    if (bytes <= limit) {
      return [line];
    }
    const largest = parts.slice(0, LARGEST).map((part) => `  ${kib(part.bytes).padStart(10)}  ${part.file}`);
    return [`${line}: over budget by ${kib(bytes - limit)}; the largest parts:`, ...largest];
  });
}

export const isOverBudget = (measured) => measured.some(({ bytes, limit }) => bytes > limit);

function main(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"));
  const measured = measure(manifest, (file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length);
  const over = isOverBudget(measured);
  (over ? console.error : console.log)(report(measured).join("\n"));
  process.exitCode = over ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv[2] ?? "dist");
}
