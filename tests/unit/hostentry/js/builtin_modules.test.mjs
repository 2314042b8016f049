import assert from "node:assert/strict";
import { createRequire, isBuiltin } from "node:module";
import { it } from "node:test";
import { load } from "../../../support/js/bundle.mjs";

const { makeSea, makeTraceEvents, provideBuiltin } = load("modules/hostentry/js/builtin_modules.ts");

it("gives a module that was provided by every way there is", () => {
  const made = { made: true };
  provideBuiltin(["node:made-up"], () => made);
  assert.equal(createRequire(import.meta.url)("node:made-up"), made);
  assert.equal(process.getBuiltinModule("node:made-up"), made);
  assert.ok(createRequire(import.meta.url)("node:module").isBuiltin("node:made-up"));
  assert.ok(isBuiltin("fs"));
  assert.equal(typeof createRequire(import.meta.url)("node:fs").readFileSync, "function");
  assert.equal(typeof process.getBuiltinModule("node:fs").readFileSync, "function");
});

it("is no single executable application", () => {
  const sea = makeSea();
  assert.equal(sea.isSea(), false);
  for (const name of ["getAsset", "getRawAsset", "getAssetAsBlob"]) {
    assert.throws(() => sea[name]("x"), { code: "ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION" });
  }
});

it("says that nothing is traced when tracing begins", () => {
  const { createTracing, getEnabledCategories } = makeTraceEvents();
  const tracing = createTracing({ categories: ["node.perf", "v8"] });
  assert.deepEqual([tracing.categories, tracing.enabled, getEnabledCategories()], ["node.perf,v8", false, undefined]);
  assert.throws(() => tracing.enable(), { code: "ERR_TRACE_EVENTS_UNAVAILABLE" });
  tracing.disable();
});
