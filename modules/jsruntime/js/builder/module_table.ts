/**
 * One instance of each module, also of those that are imported by a computed path: a bundle tells the environment
 * (bootstrap/modules.ts) which modules it has, and what is built later takes them from there.
 */
import type { PluginBuild } from "esbuild";

/** Resolves to the module that lists the others. The bundler runs it before them. */
export const kModuleTable = "svc-modules:";
const kKnown = "svc-known:";
/** Behind the file's name, whose own ending may say that it is no CommonJS. */
const kKnownEnding = ".cjs";
/** `default` means something else in what a CommonJS module exports. */
export const kDefaultName = "svc:default";

/** What the environment has under a name, for the text of a module, which may have a `Symbol` of its own. */
export const ofEnvironment = (name: string): string => `globalThis[(() => {}).constructor("return Symbol")().for("${name}")]`;

/** Lists these modules; `require` of one is possible where none has top-level await. */
export function listModules(build: PluginBuild, modules: Iterable<string>, canRequire: boolean): void {
  const entries = [...modules].map((file) => {
    const name = JSON.stringify(file);
    return `${name}: [() => import(${name})${canRequire ? `, () => require(${name})` : ""}]`;
  });
  build.onResolve({ filter: /^svc-modules:/ }, ({ path: name }) => ({ path: name, namespace: "svc-modules" }));
  build.onLoad({ filter: /^/, namespace: "svc-modules" }, () => ({
    contents: `globalThis[Symbol.for("svc.modules")]({ ${entries.join(",\n")} });`,
    resolveDir: "/",
  }));
}

/** Lets `knownStub` reach what the environment has. */
export function takeKnownModules(build: PluginBuild): void {
  build.onResolve({ filter: /^svc-known:/ }, ({ path: name }) => ({
    path: name.slice(kKnown.length) + kKnownEnding,
    namespace: "svc-known",
  }));
  build.onLoad({ filter: /^/, namespace: "svc-known" }, ({ path: name }) => ({
    contents: `module.exports = globalThis[Symbol.for("svc.module")](${JSON.stringify(name.slice(0, -kKnownEnding.length))})`,
  }));
}

/** The source of an ES module with what the environment's module of this file exports. */
export function knownStub(file: string, source: string): string {
  const from = JSON.stringify(kKnown + file);
  // CommonJS always has one.
  const mayHaveDefault = /\bdefault\b/.test(source) || !/\bexport\b/.test(source);
  return `export * from ${from};${mayHaveDefault ? ` export { ${JSON.stringify(kDefaultName)} as default } from ${from};` : ""}`;
}
