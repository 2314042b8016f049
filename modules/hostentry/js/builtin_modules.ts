/** Built-in modules of Node 22 that the embedded Node does not have, or does not let an environment like this one load. */

interface Loader {
  _load(request: unknown, ...rest: unknown[]): unknown;
  isBuiltin(name: string): boolean;
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** From now on `require`, `import` and `process.getBuiltinModule` give what `get` makes for these names. */
export function provideBuiltin(names: string[], get: () => object): void {
  const Module = require("node:module") as unknown as Loader;
  const { _load: load, isBuiltin } = Module;
  Module._load = function (this: unknown, request: unknown, ...rest: unknown[]) {
    return names.includes(request as string) ? get() : load.call(this, request, ...rest);
  };
  Module.isBuiltin = (name) => names.includes(name) || isBuiltin(name);
  const holder = process as unknown as { getBuiltinModule(id: string): unknown };
  const original = holder.getBuiltinModule;
  holder.getBuiltinModule = (id) => (names.includes(id) ? get() : original.call(process, id));
}

/** As in every program that is not a single executable application. */
export function makeSea(): object {
  const refuse = (): never => {
    throw coded("ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION", "Operation cannot be invoked when not in a single-executable application");
  };
  return { isSea: () => false, getAsset: refuse, getRawAsset: refuse, getAssetAsBlob: refuse };
}

/** There is nowhere to trace to: what asks for it learns that when it begins. */
export function makeTraceEvents(): object {
  return {
    createTracing: ({ categories }: { categories: string[] }) => ({
      categories: categories.join(","),
      enabled: false,
      enable() {
        throw coded("ERR_TRACE_EVENTS_UNAVAILABLE", "Trace events are unavailable");
      },
      disable() {},
    }),
    getEnabledCategories: () => undefined,
  };
}

export function installMissingModules(): void {
  const { isBuiltin } = require("node:module") as typeof import("node:module");
  if (!isBuiltin("node:sea")) {
    const sea = makeSea();
    provideBuiltin(["node:sea"], () => sea);
  }
  const tracing = makeTraceEvents();
  provideBuiltin(["node:trace_events", "trace_events"], () => tracing);
}
