// Writes <file>.br and <file>.gz beside the text files of a built window, so that the server only picks:
// node compress.mjs <folder> [<folder of an earlier build>]
import { copyFileSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** L:asset-compress: smaller files are sent as they are, in bytes. */
export const ASSET_COMPRESS = 1024;

/** index.html is missing on purpose: the server writes the base path into it. Fonts and pictures are compressed already. */
const EXTENSIONS = new Set([".js", ".css", ".svg", ".json", ".wasm", ".map", ".txt", ".webmanifest"]);

const ENCODINGS = {
  br: (bytes) =>
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gz: (bytes) => gzipSync(bytes, { level: 9 }),
};

/** Files below assets/ have the hash of their content in their name: what an earlier build compressed is still right. */
function reuse(file, previous, name) {
  if (previous === undefined || !name.startsWith(`assets${sep}`) || !existsSync(join(previous, name))) {
    return false;
  }
  for (const extension of Object.keys(ENCODINGS)) {
    if (existsSync(join(previous, `${name}.${extension}`))) {
      copyFileSync(join(previous, `${name}.${extension}`), `${file}.${extension}`);
    }
  }
  return true;
}

/**
 * Compresses below `folder`; a form that is not smaller is left out. `previous`: an earlier build to take files from. Returns
 * how many files it compressed itself.
 */
export function compressFolder(folder, previous) {
  let count = 0;
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name);
    if (!EXTENSIONS.has(extname(name)) || !statSync(file).isFile() || statSync(file).size < ASSET_COMPRESS) {
      continue;
    }
    if (reuse(file, previous, name)) {
      continue;
    }
    const bytes = readFileSync(file);
    for (const [extension, encode] of Object.entries(ENCODINGS)) {
      const encoded = encode(bytes);
      if (encoded.length < bytes.length) {
        writeFileSync(`${file}.${extension}`, encoded);
      }
    }
    count += 1;
  }
  return count;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  compressFolder(process.argv[2] ?? "dist", process.argv[3]);
}
