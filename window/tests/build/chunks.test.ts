// @vitest-environment node
import { describe, expect, it } from "vitest";

import { bootChunk, iconChunk, kIconsPerChunk, type ModuleGraph } from "../../chunks";

const kLucide = "/n/node_modules/lucide-react";
const kList = `${kLucide}/dist/esm/dynamicIconImports.mjs`;
const icon = (name: string) => `${kLucide}/dist/esm/icons/${name}.mjs`;

/** A graph of what each module imports, and imports by `import()`. */
function graphOf(imports: Record<string, readonly string[]>, dynamic: Record<string, readonly string[]> = {}): ModuleGraph {
  const importersIn = (of: Record<string, readonly string[]>, id: string) =>
    Object.keys(of).filter((importer) => of[importer]?.includes(id));
  return {
    getModuleInfo: (id) => ({
      importedIds: imports[id] ?? [],
      dynamicallyImportedIds: dynamic[id] ?? [],
      importers: importersIn(imports, id),
      dynamicImporters: importersIn(dynamic, id),
    }),
  };
}

describe("bootChunk", () => {
  it("holds what the entry imports, and what that imports, but no page that loads later", () => {
    const graph = graphOf({ "/main": ["/router"], "/router": ["/store"], "/page": ["/store", "/chart"] }, { "/router": ["/page"] });
    const chunk = bootChunk("/main");
    expect(["/main", "/router", "/store", "/page", "/chart"].map((id) => chunk(id, graph))).toEqual(["boot", "boot", "boot", null, null]);
  });
});

describe("iconChunk", () => {
  const names = Array.from({ length: kIconsPerChunk + 2 }, (_, index) => icon(`i${String(index).padStart(3, "0")}`));
  const [first = "", second = "", ...rest] = names;
  const last = rest.at(-1) ?? "";

  it("puts as many icons as it says into a file, in the order of their names", () => {
    const graph = graphOf({}, { [kList]: [...names].reverse() });
    const chunk = iconChunk();
    const files = names.map((id) => chunk(id, graph));
    expect(files.filter((file) => file === "icons-0")).toHaveLength(kIconsPerChunk);
    expect(files.slice(kIconsPerChunk)).toEqual(["icons-1", "icons-1"]);
  });

  it("puts an older name where its icon is, and counts it as none", () => {
    const old = icon("a-former-name");
    const graph = graphOf({ [old]: [last] }, { [kList]: [old, ...names] });
    const chunk = iconChunk();
    expect(chunk(old, graph)).toBe("icons-1");
    expect(chunk(first, graph)).toBe("icons-0");
    expect(chunk(names[kIconsPerChunk - 1] ?? "", graph)).toBe("icons-0");
  });

  it("leaves icons that the window's own modules import, under every name", () => {
    const [old, other] = [icon("a-former-name"), icon("another")];
    const graph = graphOf({ "/w/src/page.tsx": [second, old], [old]: [first], [other]: [second] }, { [kList]: [old, other, ...names] });
    const chunk = iconChunk();
    expect([first, second, old, other].map((id) => chunk(id, graph))).toEqual([null, null, null, null]);
  });

  it("leaves everything that is no icon", () => {
    const chunk = iconChunk();
    expect(["/w/src/page.tsx", kList, `${kLucide}/dist/esm/Icon.mjs`].map((id) => chunk(id, graphOf({}, { [kList]: names })))).toEqual([
      null,
      null,
      null,
    ]);
  });
});
