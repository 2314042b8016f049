import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");

function exportsOf(program, file) {
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  return new Map(symbols.map((symbol) => [symbol.name, target(symbol)]));
}

test("every type of /app is one of the root", () => {
  const [root, app] = ["index.d.ts", "app.d.ts"].map((name) => join(dist, name));
  const program = ts.createProgram([root, app], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  });
  const rootExports = exportsOf(program, root);
  const types = [...exportsOf(program, app)].filter(([, symbol]) => symbol.flags & ts.SymbolFlags.Type);
  assert.ok(types.length > 100);
  assert.deepEqual(
    types.filter(([name, symbol]) => rootExports.get(name) !== symbol).map(([name]) => name),
    [],
  );
});

test("the root has no hook and no component of /app", async () => {
  const [root, app] = await Promise.all([import("@get-svc/plugin-sdk"), import("@get-svc/plugin-sdk/app")]);
  assert.deepEqual(
    Object.keys(root).filter((name) => name in app),
    [],
  );
});
