/** Members of Node's own modules that act on the whole server, or differ from those of a newer Node. */
import type { Binding, BuiltinRequire, ThreadBinding } from "../binding.js";
import { keepStreamsOfChildren } from "./child_process.js";
import { isStandard, type OwnDescriptors } from "./descriptors.js";
import { newerMembers } from "./newer_node.js";
import { ownerOf } from "./owner.js";
import { quietly } from "./shared_state.js";
import { guardWasi } from "./wasi.js";

interface HttpServer {
  prototype: { close(...args: unknown[]): unknown; closeIdleConnections?(): void };
}

/** Native imports see Node's own modules as they are when the import runs: these come first. */
export const kAdjusted = ["http", "https", "child_process", "tty", "os", "util", "zlib", "crypto", "fs", "stream", "wasi"];

export function adjustBuiltins(
  process: NodeJS.Process,
  builtin: BuiltinRequire,
  binding: Binding,
  thread: ThreadBinding,
  descriptors: OwnDescriptors,
): void {
  // At once: these reach beyond the environment, and import() does not pass by Module._load.
  const v8 = builtin("v8") as { setFlagsFromString: unknown; setHeapSnapshotNearHeapLimit: unknown };
  v8.setFlagsFromString = (flags: unknown) =>
    binding.log("warn", `v8.setFlagsFromString("${String(flags)}") has no effect: the flags are ${ownerOf(builtin).whose}.`);
  // It raises the limit for the time of the snapshot, again and again, and writes where the server works.
  v8.setHeapSnapshotNearHeapLimit = () =>
    binding.log("warn", `v8.setHeapSnapshotNearHeapLimit() has no effect: ${ownerOf(builtin).recordings}`);

  const adjustments: Record<string, (exports: never) => void> = {
    ...newerMembers(builtin),
    child_process: (exports: never) => keepStreamsOfChildren(process, exports),
    // It takes what it forks with past _load.
    cluster: () => Module._load("child_process"),
    tty: (exports: typeof import("node:tty")) => {
      const { isatty } = exports;
      exports.isatty = (descriptor) => !isStandard(descriptor) && isatty(descriptor);
      // Asked without a stream, by packages that colour what becomes a line of a log.
      Object.assign(exports.WriteStream.prototype, { hasColors: () => false, getColorDepth: () => 1 });
    },
    os: (exports: typeof import("node:os")) => {
      const { setPriority } = exports;
      exports.setPriority = (...args: [number, number?]) => {
        const target = args.length < 2 ? 0 : args[0];
        // The number of a thread is one of a process to the system, too. What is no number is Node's to refuse.
        if (typeof target === "number" && thread.reachesServer(target | 0)) {
          binding.log("warn", `os.setPriority() has no effect on the own process: it is ${ownerOf(builtin).whose}.`);
        } else {
          setPriority(target, args[1] as number);
        }
      };
    },
    wasi: (exports: Parameters<typeof guardWasi>[0]) => guardWasi(exports, builtin, descriptors),
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
    const name = typeof request === "string" && request.startsWith("node:") ? request.slice(5) : String(request);
    const act = () => load.call(this, request, ...rest);
    const exports = name === "wasi" ? quietly(process, act) : act();
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
