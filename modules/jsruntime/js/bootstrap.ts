/** The JavaScript half of the boundary: what src/bridge.cpp calls, and the HostRuntime that parts get. */
import type { Binding, BuiltinRequire } from "./binding.js";
import { makeAttribution } from "./bootstrap/attribution.js";
import { makeCalls } from "./bootstrap/calls.js";
import { makeErrors } from "./bootstrap/errors.js";
import { makeHostFunctions } from "./bootstrap/host_functions.js";
import { makeLoader } from "./bootstrap/loader.js";
import { allowRequireOfEsModules, resolveSourcesOfRequire } from "./bootstrap/require_esm.js";
import { wrapWorker } from "./bootstrap/workers.js";
import type { HostRuntime } from "./runtime.js";

/** Matches Bridge::adopt. */
interface Identity {
  name: string;
  root: string;
  cacheDir: string;
  /** The file that worker threads run first. */
  workerPrelude: string;
  heapMiB: number;
  environment: Record<string, string>;
  functions: string[];
}

export default function bootstrap(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): object {
  process.setSourceMapsEnabled(true);
  const attribution = makeAttribution(builtin);
  const errors = makeErrors(process, builtin, binding, attribution, (stack) => loader.nameSources(stack));
  const calls = makeCalls(binding, errors);
  const host = makeHostFunctions(binding, errors);
  const loader = makeLoader(process, builtin, binding, host);
  const runtime: HostRuntime = {
    callSync: host.callSync,
    call: host.call,
    transfer: host.transfer,
    quoteJson: binding.quoteJson,
    native: <T extends object>(name: string): T => {
      const native = binding.native(name);
      if (native === undefined) {
        throw new TypeError(`there is no native extension "${name}"`);
      }
      return native as T;
    },
    handle: (name, handler) => {
      if (typeof handler !== "function") {
        throw new TypeError(`runtime.handle: the handler of "${name}" is not a function`);
      }
      binding.handle(name, handler);
    },
    loadModule: loader.loadModule,
    error: errors.make,
    reportUncaught: errors.reportUncaught,
    attribute: attribution.run,
    pauseWatchdog: binding.pauseWatchdog,
    withInspector: binding.withInspector,
    formatStack: errors.formatStack,
  };
  let workers: { prelude: string; heapMiB: number; diagnosticsDir?: string | undefined } = { prelude: "", heapMiB: 0 };
  builtin<typeof import("node:worker_threads")>("worker_threads").Worker = wrapWorker(process, builtin, () => ({
    ...workers,
    threads: binding.workerThreads,
    root: loader.root(),
    build: loader.buildWorker,
  }));
  const { dirname } = builtin<typeof import("node:path")>("path");
  const share = (): string => dirname(dirname(workers.prelude));
  allowRequireOfEsModules(process, builtin, () => `${share()}/toolchain/node_modules`, loader.modules);
  resolveSourcesOfRequire(builtin);
  const configure = (json: string): void => {
    const identity = JSON.parse(json) as Identity;
    // What holds the cache is the script's own folder; the builder has neither.
    const diagnosticsDir = identity.cacheDir === "" ? undefined : dirname(identity.cacheDir);
    workers = { prelude: identity.workerPrelude, heapMiB: identity.heapMiB, diagnosticsDir };
    binding.diagnosticsDir = diagnosticsDir;
    Object.assign(process.env, identity.environment);
    host.setNames(identity.functions);
    loader.setFolders(identity.root, identity.cacheDir);
  };
  return {
    ...calls,
    settle: host.settle,
    hostError: errors.fromHost,
    configure,
    require: builtin<typeof import("node:module")>("module").createRequire("/"),
    runtime,
  };
}
