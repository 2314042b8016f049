/** Members of Node's own modules that act on the whole server, or differ from those of a newer Node. */
import type { Binding, BuiltinRequire } from "../binding.js";

interface HttpServer {
  prototype: { close(...args: unknown[]): unknown; closeIdleConnections?(): void };
}

export function adjustBuiltins(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): void {
  // At once: these reach beyond the environment, and import() does not pass by Module._load.
  const v8 = builtin("v8") as { setFlagsFromString: unknown };
  v8.setFlagsFromString = (flags: unknown) =>
    binding.log("warn", `v8.setFlagsFromString("${String(flags)}") has no effect: the flags are those of the whole server.`);
  const threads = builtin("worker_threads") as { Worker: typeof import("node:worker_threads").Worker };
  threads.Worker = workerWithEnvironment(process, threads.Worker);

  const adjustments: Record<string, (exports: never) => void> = {
    http: (exports: { Server: HttpServer }) => closeIdleFirst(exports.Server),
    https: (exports: { Server: HttpServer }) => closeIdleFirst(exports.Server),
  };
  // When first asked for: loading them would slow down every environment.
  const Module = builtin("module") as {
    _load(request: unknown, ...rest: unknown[]): unknown;
    syncBuiltinESMExports(): void;
  };
  const load = Module._load;
  Module._load = function (this: unknown, request: unknown, ...rest: unknown[]) {
    const exports = load.call(this, request, ...rest);
    const name = typeof request === "string" && request.startsWith("node:") ? request.slice(5) : String(request);
    if (Object.hasOwn(adjustments, name)) {
      const adjust = adjustments[name] as (exports: unknown) => void;
      delete adjustments[name];
      adjust(exports);
      Module.syncBuiltinESMExports();
    }
    return exports;
  };
}

/** As Node does since 19: a server closes although clients keep idle connections open. */
function closeIdleFirst({ prototype }: HttpServer): void {
  const { close } = prototype;
  prototype.close = function (...args) {
    this.closeIdleConnections?.();
    return close.apply(this, args);
  };
}

/** Without variables of its own a worker would get those of the server. */
function workerWithEnvironment(process: NodeJS.Process, Original: typeof import("node:worker_threads").Worker) {
  return class Worker extends Original {
    constructor(file: string | URL, options: import("node:worker_threads").WorkerOptions = {}) {
      const execArgv = [...nodeOptions(process), ...(options?.execArgv ?? [])];
      super(file, { ...options, env: options?.env ?? { ...process.env }, execArgv });
    }
  };
}

/** The options of src/node_process.cpp that are of one environment: one with its own variables does not inherit them. */
function nodeOptions(process: NodeJS.Process): string[] {
  const forOldNode = ["--experimental-global-webcrypto", "--experimental-global-customevent"];
  return ["--no-force-async-hooks-checks", ...(Number.parseInt(process.versions.node) < 20 ? forOldNode : [])];
}
