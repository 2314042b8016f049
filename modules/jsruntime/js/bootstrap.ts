/** The JavaScript half of the boundary: what src/bridge.cpp calls, and the HostRuntime that parts get. */
import type { Binding, BuiltinRequire } from "./binding.js";
import { makeCalls } from "./bootstrap/calls.js";
import { makeErrors } from "./bootstrap/errors.js";
import { makeHostFunctions } from "./bootstrap/host_functions.js";
import { makeLoader } from "./bootstrap/loader.js";
import type { HostRuntime } from "./runtime.js";

/** Matches Bridge::adopt. */
interface Identity {
  name: string;
  root: string;
  cacheDir: string;
  environment: Record<string, string>;
  functions: string[];
}

export default function bootstrap(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): object {
  process.setSourceMapsEnabled(true);
  const errors = makeErrors(process, builtin, binding);
  const calls = makeCalls(binding, errors);
  const host = makeHostFunctions(binding, errors);
  const loader = makeLoader(process, builtin, binding, host);
  const runtime: HostRuntime = {
    callSync: host.callSync,
    call: host.call,
    handle: (name, handler) => {
      if (typeof handler !== "function") {
        throw new TypeError(`runtime.handle: the handler of "${name}" is not a function`);
      }
      binding.handle(name, handler);
    },
    loadModule: loader.loadModule,
    error: errors.make,
    reportUncaught: errors.reportUncaught,
    formatStack: errors.formatStack,
  };
  const configure = (json: string): void => {
    const identity = JSON.parse(json) as Identity;
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
