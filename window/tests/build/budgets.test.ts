// @vitest-environment node
import { describe, expect, it } from "vitest";

import { BUDGETS, isOverBudget, measure, report, type ManifestChunk } from "../../budgets.mjs";

const kManifest: Record<string, ManifestChunk> = {
  "index.html": { file: "assets/index-1.js", imports: ["_react.js", "_shared.js"], dynamicImports: ["src/runtime/slots.ts"] },
  "_react.js": { file: "assets/react-1.js", imports: ["_shared.js"] },
  "_shared.js": { file: "assets/shared-1.js", imports: ["_react.js"] },
  "src/runtime/slots.ts": { file: "assets/slots-1.js", imports: ["_react.js", "_radix.js"], dynamicImports: ["_diffs.js"] },
  "_radix.js": { file: "assets/radix-1.js" },
  "_diffs.js": { file: "assets/diffs-1.js" },
};

function sizes(overrides: Record<string, number> = {}): (file: string) => number {
  return (file) => overrides[file] ?? 1000;
}

describe("budgets of the built window", () => {
  it("counts what the boot imports statically, once, cycles included", () => {
    const [boot] = measure(kManifest, sizes());
    expect(boot?.parts.map((part) => part.file).sort()).toEqual(["assets/index-1.js", "assets/react-1.js", "assets/shared-1.js"]);
    expect(boot?.bytes).toBe(3000);
  });

  it("counts the runtime without lazy chunks and without what the boot has", () => {
    const runtime = measure(kManifest, sizes())[1];
    expect(runtime?.parts.map((part) => part.file).sort()).toEqual(["assets/radix-1.js", "assets/slots-1.js"]);
  });

  it("holds at the limit and fails one byte above it, naming the largest parts", () => {
    const at = measure(kManifest, sizes({ "assets/index-1.js": BUDGETS.boot - 2000 }));
    expect(isOverBudget(at)).toBe(false);
    const above = measure(kManifest, sizes({ "assets/index-1.js": BUDGETS.boot - 1999 }));
    expect(isOverBudget(above)).toBe(true);
    const lines = report(above);
    expect(lines[0]).toContain("over budget");
    expect(lines[1]).toContain("assets/index-1.js");
  });

  it("refuses a manifest without the entry instead of measuring nothing", () => {
    expect(() => measure({}, sizes())).toThrow("index.html");
  });
});
