/** `process` belongs to the server: what would change or end it acts on the environment instead. */
import type { Binding, BuiltinRequire, ThreadBinding } from "../binding.js";
import { ownerOf } from "./owner.js";
import { withoutSharedState } from "./shared_state.js";

/** Names that are kept of addons that were refused. */
const kRefusedAddons = 10;

export function guardProcess(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding, thread: ThreadBinding): void {
  // A copy per environment: plugins do not see each other's changes, nor does the server.
  process.env = privateEnvironment(process.env);
  fix(process, "abort", () => binding.end("abort", 134, "the script called process.abort()"));
  fix(process, "chdir", () => {
    throw coded("ERR_WORKER_UNSUPPORTED_OPERATION", `process.chdir() is not supported: the working directory is ${ownerOf(builtin).whose}`);
  });
  guardIdentity(process, builtin);
  fix(process, "dlopen", refuseAddons());
  guardInternals(process);
  guardKill(process, builtin, binding, thread);
  guardSignals(process, builtin, binding);
  let title = process.title;
  Object.defineProperty(process, "title", {
    configurable: true,
    enumerable: true,
    get: () => title,
    set: (value: unknown) => {
      title = String(value);
    },
  });
  hideHostExecutable(process, builtin);
  // Also where Node has one: that does not pass by Module._load, where modules are adjusted.
  fix(process, "getBuiltinModule", (id: string) => {
    const { isBuiltin, createRequire } = builtin<typeof import("node:module")>("module");
    return isBuiltin(id) ? createRequire("/").call(undefined, id) : undefined;
  });
}

/** What an environment from a snapshot of Node's has: the functions of a main thread, which act on the process or abort it. */
function guardIdentity(process: NodeJS.Process, builtin: BuiltinRequire): void {
  const members = process as unknown as Record<string, unknown>;
  const refuse = (name: string) =>
    coded("ERR_WORKER_UNSUPPORTED_OPERATION", `process.${name}() is not supported: the process is ${ownerOf(builtin).whose}`);
  for (const name of ["setuid", "setgid", "seteuid", "setegid", "setgroups", "initgroups", "execve"]) {
    if (name in members) {
      fix(process, name, () => {
        throw refuse(name);
      });
    }
  }
  const umask = members["umask"] as () => number;
  fix(process, "umask", (mask?: unknown) => {
    if (mask !== undefined) {
      throw refuse("umask");
    }
    return umask();
  });
}

/** Packages catch the refusal and say something else: which addons were refused is kept with the function. */
function refuseAddons(): unknown {
  const refused: string[] = [];
  const dlopen = (_module: unknown, file: unknown): never => {
    const name = String(file);
    if (!refused.includes(name) && refused.length < kRefusedAddons) {
      refused.push(name);
    }
    throw coded(
      "ERR_DLOPEN_FAILED",
      `native addons are not supported here: ${name} cannot be loaded. Use a JavaScript or WebAssembly build of the package.`,
    );
  };
  return Object.defineProperty(dlopen, "refused", { value: refused });
}

/** Replaceable, as the original is: common packages wrap members of `process`. */
function fix(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function privateEnvironment(original: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return new Proxy(
    { ...original },
    {
      set: (target, name, value) => Reflect.set(target, name, typeof name === "string" ? String(value) : value),
      defineProperty: (target, name, descriptor) =>
        Reflect.defineProperty(target, name, "value" in descriptor ? { ...descriptor, value: String(descriptor.value) } : descriptor),
    },
  );
}

/** What would reach the server's descriptors, signals and children behind the functions that keep them apart. */
function guardInternals(process: NodeJS.Process): void {
  const internals = process as unknown as { binding(name: string): unknown };
  const original = internals.binding.bind(process);
  fix(process, "binding", (name: string) => {
    if (["fs", "process_wrap", "signal_wrap", "spawn_sync", "tty_wrap"].includes(name)) {
      throw coded("ERR_INVALID_MODULE", `process.binding("${name}") is not supported here: use Node's public modules`);
    }
    return withoutSharedState(name, original(name));
  });
}

/** process.kill() ends in process._kill(). */
function guardKill(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding, thread: ThreadBinding): void {
  const internals = process as unknown as Record<"_kill" | "_debugProcess", (...args: unknown[]) => unknown>;
  const { _kill: kill, _debugProcess: debugProcess } = internals;
  fix(process, "_kill", (pid: unknown, signal: unknown) => {
    const [to, number] = [Number(pid) | 0, Number(signal) | 0];
    if (number === 0 || !thread.reachesServer(to)) {
      return kill(to, number);
    }
    binding.end("signal", 128 + number, `the plugin sent ${signalName(builtin, number)} to its own process`);
    return 0;
  });
  fix(process, "_debugProcess", (pid: unknown) => {
    if (thread.reachesServer(Number(pid) | 0)) {
      throw coded(
        "ERR_WORKER_UNSUPPORTED_OPERATION",
        `process._debugProcess() is not supported for the own process, which is ${ownerOf(builtin).whose}: ${ownerOf(builtin).debugger}`,
      );
    }
    debugProcess(pid);
  });
}

function signalName(builtin: BuiltinRequire, signal: number): string {
  const known = Object.entries(builtin<typeof import("node:os")>("os").constants.signals);
  return known.find(([, number]) => number === signal)?.[0] ?? String(signal);
}

/** Listening to a signal would take it from the server: the listener is kept but the signal is not hooked. */
function guardSignals(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): void {
  process.removeAllListeners("newListener");
  process.removeAllListeners("removeListener");
  let warned = false; // once: packages that clean up listen to every signal there is
  process.on("newListener" as never, (name: unknown) => {
    if (typeof name === "string" && name.startsWith("SIG") && name in builtin("os").constants.signals && !warned) {
      warned = true;
      binding.log("warn", `process.on("${name}") has no effect: ${ownerOf(builtin).signals}`);
    }
  });
}

/** process.execPath is the server: fork() of it would start a second one. A `node` on the PATH takes its place. */
function hideHostExecutable(process: NodeJS.Process, builtin: BuiltinRequire): void {
  let path: string | undefined;
  Object.defineProperty(process, "execPath", {
    configurable: true,
    enumerable: true,
    get: () => (path ??= findNode(process, builtin) ?? "node"),
    set: (value: unknown) => {
      path = String(value);
    },
  });
}

function findNode(process: NodeJS.Process, builtin: BuiltinRequire): string | undefined {
  const { accessSync, constants } = builtin<typeof import("node:fs")>("fs");
  return (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => `${folder}/node`)
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
