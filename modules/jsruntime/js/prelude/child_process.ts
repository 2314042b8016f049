/** Child processes that inherit a standard stream get the script's: its log instead of the server's terminal. */
import type { SpawnSyncReturns } from "node:child_process";

import type { ThreadBinding } from "../binding.js";
import type { OwnDescriptors } from "./descriptors.js";
import { internalBinding } from "./internals.js";

type Output = 1 | 2;
type Function = (...args: any[]) => any;

interface ChildProcesses {
  ChildProcess: { prototype: { spawn: Function } };
  spawnSync: Function;
  execFileSync: Function;
  execSync: Function;
}

interface Child {
  stdio?: (import("node:stream").Readable | null)[];
  stdout?: unknown;
  stderr?: unknown;
}

interface StartOptions {
  stdio?: { fd?: unknown }[];
  envPairs: readonly string[];
}

interface ProcessBinding {
  Process: { prototype: Record<"spawn" | "kill", (this: object, ...args: unknown[]) => number> };
}

/** Where options stand among the arguments of the binding's spawn(), which takes one object of them before Node 24. */
const kEnvironmentAt = 3;
const kStdioAt = 4;

/** What a child of the binding's spawn() gets for its streams. */
export function stdioOf<T>(args: unknown[]): T[] {
  const [options] = args;
  return ((typeof options === "string" ? args[kStdioAt] : (options as { stdio?: unknown }).stdio) as T[] | undefined) ?? [];
}

const kNoSuchProcess = -3;

/** Every program is marked, whatever environment the script gives it, unless that names the mark: an empty one lets go of it. */
function marked(pairs: readonly string[], thread: ThreadBinding): readonly string[] {
  const mark = thread.markForProgram();
  const name = mark.slice(0, mark.indexOf("=") + 1);
  return pairs.some((pair) => pair.startsWith(name)) ? pairs : [...pairs, mark];
}

/** A child gets only descriptors of the script, and a child that was never started has no number to signal. */
export function guardChildren(process: NodeJS.Process, descriptors: OwnDescriptors, thread: ThreadBinding): void {
  const withOwn = (options: StartOptions): StartOptions => ({
    ...options,
    envPairs: marked(options.envPairs, thread),
    stdio: options.stdio?.map((entry) => (typeof entry.fd === "number" ? { ...entry, fd: descriptors.orNobodys(entry.fd) } : entry)),
  });
  const withOwnArguments = (args: unknown[]): unknown[] => {
    if (typeof args[0] !== "string") {
      return [withOwn(args[0] as StartOptions)];
    }
    const own = withOwn({ envPairs: (args[kEnvironmentAt] as string[] | undefined) ?? [], stdio: stdioOf(args) });
    return [...args.slice(0, kEnvironmentAt), own.envPairs, own.stdio, ...args.slice(kStdioAt + 1)];
  };
  const { prototype } = internalBinding<ProcessBinding>(process, "process_wrap").Process;
  const { spawn, kill } = prototype;
  const started = new WeakSet<object>();
  prototype.spawn = function (...args) {
    const error = spawn.apply(this, withOwnArguments(args));
    if (!error) {
      started.add(this);
    }
    return error;
  };
  prototype.kill = function (signal) {
    return started.has(this) ? kill.call(this, signal) : kNoSuchProcess;
  };
  const sync = internalBinding<{ spawn(options: StartOptions): unknown }>(process, "spawn_sync");
  const { spawn: spawnSync } = sync;
  sync.spawn = (options) => spawnSync(withOwn(options));
}

export function keepStreamsOfChildren(process: NodeJS.Process, exports: ChildProcesses): void {
  const { prototype } = exports.ChildProcess;
  const { spawn } = prototype;
  prototype.spawn = function (this: Child, options: { stdio?: unknown }) {
    const { stdio, forwarded } = withoutStandard(options.stdio);
    const result = spawn.call(this, { ...options, stdio });
    for (const [index, output] of forwarded) {
      this.stdio?.[index]?.pipe(output === 1 ? process.stdout : process.stderr, { end: false });
      hide(this, index);
    }
    return result;
  };
  keepStreamsOfSync(process, exports);
}

/** Who inherits does not see a stream. */
function hide(child: Child, index: number): void {
  if (child.stdio) {
    child.stdio[index] = null;
  }
  if (index === 1) {
    child.stdout = null;
  } else if (index === 2) {
    child.stderr = null;
  }
}

/** `stdio` with the server's streams taken out, and which of the pipes in their place go to the script's. */
function withoutStandard(stdio: unknown): { stdio: unknown; forwarded: Map<number, Output> } {
  const forwarded = new Map<number, Output>();
  if (stdio !== "inherit" && !Array.isArray(stdio)) {
    return { stdio, forwarded };
  }
  const list = (stdio === "inherit" ? [0, 1, 2] : stdio).map((entry: unknown, index: number) => {
    const descriptor = entry === "inherit" ? index : typeof entry === "number" ? entry : (entry as { fd?: unknown } | null)?.fd;
    if (descriptor === 1 || descriptor === 2) {
      forwarded.set(index, descriptor);
      return "pipe";
    }
    return descriptor === 0 || entry === "inherit" ? "ignore" : entry;
  });
  return { stdio: list, forwarded };
}

function keepStreamsOfSync(process: NodeJS.Process, exports: ChildProcesses): void {
  const { spawnSync, execFileSync, execSync } = exports;
  const run = (args: unknown[], at: number, options: object, { stdio, forwarded }: ReturnType<typeof withoutStandard>) => {
    const result = spawnSync(...args.slice(0, at), { maxBuffer: Infinity, ...options, stdio }) as SpawnSyncReturns<Buffer | string>;
    const output = result.output as unknown[] | null;
    for (const [index, to] of forwarded) {
      const text = output?.[index] as Buffer | string | null | undefined;
      if (output && text?.length) {
        (to === 1 ? process.stdout : process.stderr).write(text);
        output[index] = null;
      }
    }
    return Object.assign(result, { stdout: output?.[1] ?? null, stderr: output?.[2] ?? null });
  };
  /** Calls `original` unless a stream is inherited, `replacement` then. */
  const replace = (
    name: "spawnSync" | "execFileSync" | "execSync",
    original: Function,
    replacement: (run: (more?: object) => SpawnSyncReturns<Buffer | string>, args: unknown[]) => unknown,
  ): void => {
    exports[name] = (...args: unknown[]) => {
      const at = args.findIndex((value, index) => index > 0 && typeof value === "object" && value !== null && !Array.isArray(value));
      const options = args[at] as { stdio?: unknown } | undefined;
      const kept = withoutStandard(options?.stdio);
      if (at < 0 || kept.forwarded.size === 0) {
        return original(...args.map((value, index) => (index === at ? { ...options, stdio: kept.stdio } : value)));
      }
      return replacement((more) => run(args, at, { ...options, ...more }, kept), args);
    };
  };
  replace("spawnSync", spawnSync, (start) => start());
  replace("execFileSync", execFileSync, (start, args) =>
    outputOf(start(), [args[0], ...(Array.isArray(args[1]) ? args[1] : [])].join(" ")),
  );
  replace("execSync", execSync, (start, args) => {
    const { shell } = args[1] as { shell?: string };
    return outputOf(start({ shell: shell ?? true }), String(args[0]));
  });
}

/** What execSync answers or throws. */
function outputOf(result: SpawnSyncReturns<Buffer | string>, command: string): unknown {
  if (result.error) {
    throw result.error;
  }
  if (result.status !== 0) {
    throw Object.assign(new Error(`Command failed: ${command}`), result);
  }
  return result.stdout;
}
