/** worker_threads of a plugin: each begins with js/worker.ts, and an author's TypeScript file is built as the entry is. */
import type { BuiltinRequire } from "../binding.js";
import { placeProfiles } from "../prelude/diagnostics.js";

type Threads = typeof import("node:worker_threads");
type Options = import("node:worker_threads").WorkerOptions;

export type BuiltWorker = { code: string } | { href: string } | { error: string };
/** `workerData` of a worker whose text is still being built. */
export interface WorkerStart {
  file: string;
  port: import("node:worker_threads").MessagePort;
  built: Int32Array;
}

export interface WorkerSettings {
  /** The file each worker runs first. */
  prelude: string;
  heapMiB: number;
  /** Where profiles of workers go. */
  diagnosticsDir?: string | undefined;
  /** Worker threads of the whole environment. */
  threads(): [used: number, most: number];
  /** Where relative names start. */
  root?: string;
  build?(file: string): Promise<BuiltWorker>;
}

/** `threadId` of a worker that has ended. */
const kEnded = -1;
const kRunBuilt = 'globalThis[Symbol.for("svc.worker")]()';

export function wrapWorker(process: NodeJS.Process, builtin: BuiltinRequire, settings: () => WorkerSettings): Threads["Worker"] {
  const threads = builtin<Threads>("worker_threads");
  const { Worker: Original, MessageChannel } = threads;
  /** Those of this thread: one that was just made is not counted by the environment yet. */
  const made = new Set<import("node:worker_threads").Worker>();
  // Asked, not told: listeners are the script's, which may remove all of them.
  const living = (): number => {
    for (const worker of made) {
      if (worker.threadId === kEnded) {
        made.delete(worker);
      }
    }
    return made.size;
  };
  return class Worker extends Original {
    constructor(file: string | URL, options: Options = {}) {
      const { prelude, heapMiB, diagnosticsDir, root, build, threads: budget } = settings();
      const [counted, most] = budget();
      const used = Math.max(counted, living());
      if (most > 0 && used >= most) {
        const message = `the plugin has ${used} worker threads, the limit is ${most} (plugins.workerThreads): end some, or raise it in plugins.overrides`;
        throw Object.assign(new RangeError(message), { code: "ERR_WORKER_INIT_FAILED" });
      }
      const own: Options = {
        ...options,
        // Without variables of its own, and with shared ones, a worker would get those of the server.
        env: options.env === undefined || options.env === threads.SHARE_ENV ? { ...process.env } : options.env,
        execArgv: ["--require", prelude, ...nodeOptions(process), ...placeProfiles(builtin, diagnosticsDir, options.execArgv ?? [])],
        // Ours are closed by who has opened them: see src/descriptor_table.h.
        trackUnmanagedFds: false,
        resourceLimits: { ...options.resourceLimits, ...heapLimit(options.resourceLimits?.maxOldGenerationSizeMb, heapMiB) },
      };
      const source = options.eval ? undefined : sourceFile(builtin, root, file);
      if (build === undefined || source === undefined || !/\.(?:[cm]?ts|tsx)$/.test(source)) {
        super(source ?? file, own);
        made.add(this);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      const built = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const start: WorkerStart = { file: source, port: port2, built };
      super(kRunBuilt, {
        ...own,
        eval: true,
        workerData: { start, data: options.workerData },
        transferList: [port2, ...(options.transferList ?? [])],
      });
      made.add(this);
      void build(source)
        .catch((error: unknown): BuiltWorker => ({ error: error instanceof Error ? error.message : String(error) }))
        .then((answer) => {
          port1.postMessage(answer);
          Atomics.store(built, 0, 1);
          Atomics.notify(built, 0);
        });
    }
  };
}

function heapLimit(asked: number | undefined, most: number): Options["resourceLimits"] {
  return most > 0 ? { maxOldGenerationSizeMb: Math.min(asked ?? most, most) } : {};
}

/** The path of a worker; nothing for a text or a name that is Node's to refuse. */
function sourceFile(builtin: BuiltinRequire, root: string | undefined, file: string | URL): string | undefined {
  if (file instanceof URL || typeof file !== "string") {
    return file instanceof URL && file.protocol === "file:" ? builtin<typeof import("node:url")>("url").fileURLToPath(file) : undefined;
  }
  // Node starts at the working directory, which is the server's.
  return root !== undefined && /^\.\.?\//.test(file) ? builtin<typeof import("node:path")>("path").resolve(root, file) : file;
}

/** The options of src/node_process.cpp that are of one environment: one with its own variables does not inherit them. */
function nodeOptions(process: NodeJS.Process): string[] {
  const forOldNode = ["--experimental-global-webcrypto", "--experimental-global-customevent"];
  return ["--no-force-async-hooks-checks", ...(Number.parseInt(process.versions.node) < 20 ? forOldNode : [])];
}
