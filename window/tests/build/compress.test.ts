// @vitest-environment node
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ASSET_COMPRESS, compressFolder } from "../../compress.mjs";

describe("compressFolder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-compress-"));
    mkdirSync(join(folder, "assets"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("writes both forms beside a text file, with the same content", () => {
    const text = "export const a = 1;\n".repeat(200);
    writeFileSync(join(folder, "assets/a.js"), text);
    expect(compressFolder(folder)).toBe(1);
    expect(brotliDecompressSync(readFileSync(join(folder, "assets/a.js.br"))).toString()).toBe(text);
    expect(gunzipSync(readFileSync(join(folder, "assets/a.js.gz"))).toString()).toBe(text);
  });

  it("takes over what an earlier build compressed, by the hashed name", () => {
    const previous = join(folder, "previous");
    mkdirSync(join(previous, "assets"), { recursive: true });
    const text = "export const a = 1;\n".repeat(200);
    writeFileSync(join(folder, "assets/a-12345678.js"), text);
    writeFileSync(join(folder, "plain.js"), text);
    for (const name of ["assets/a-12345678.js", "plain.js"]) {
      writeFileSync(join(previous, name), "");
      writeFileSync(join(previous, `${name}.br`), "earlier");
    }
    expect(compressFolder(folder, previous)).toBe(1);
    expect(readFileSync(join(folder, "assets/a-12345678.js.br"), "utf8")).toBe("earlier");
    expect(brotliDecompressSync(readFileSync(join(folder, "plain.js.br"))).toString()).toBe(text);
  });

  it("leaves alone what is small, compressed already, or the page", () => {
    writeFileSync(join(folder, "small.js"), "x".repeat(ASSET_COMPRESS - 1));
    writeFileSync(join(folder, "font.woff2"), "x".repeat(4096));
    writeFileSync(join(folder, "index.html"), "x".repeat(4096));
    expect(compressFolder(folder)).toBe(0);
    expect(existsSync(join(folder, "index.html.br"))).toBe(false);
  });
});
