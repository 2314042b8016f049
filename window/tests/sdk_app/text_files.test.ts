import { describe, expect, it } from "vitest";

import { namedFile } from "@/sdk_app/text_files";

describe("namedFile", () => {
  it.each([
    ["src/door.ts", "src/door.ts", null],
    ["./src/door.ts", "src/door.ts", null],
    ["door.ts:12", "door.ts", 12],
    ["src/door.ts:12:4", "src/door.ts", 12],
    ["src/door.ts:12-30", "src/door.ts", 12],
    ["src/door.ts#L7", "src/door.ts", 7],
    ["src/door.ts#L7-L9", "src/door.ts", 7],
    ["/work/site/a.b.c", "/work/site/a.b.c", null],
    [".gitignore", ".gitignore", null],
    ["tools/Makefile", "tools/Makefile", null],
  ])("takes %s for a file", (text, path, line) => {
    expect(namedFile(text)).toEqual({ path, line });
  });

  it.each([
    "npm run build",
    "useState",
    "src/",
    "src/lib",
    "../outside.ts",
    "a/../b.ts",
    "~/notes.md",
    "--flag.x",
    "https://example.com/a.ts",
    "*.ts",
    "a.ts:b",
    "...",
    "",
    `${"x".repeat(400)}.ts`,
  ])("takes %s for text", (text) => {
    expect(namedFile(text)).toBeNull();
  });
});
