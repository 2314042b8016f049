/**
 * Runs first in every worker thread of a plugin, as its --require: the walls of the thread that started it, and the text of
 * a TypeScript worker. A file of its own (share/svc/runtime/worker.cjs), because Node reads it.
 */
import type { Binding, BuiltinRequire } from "./binding.js";
import { makeModules, nativeImport } from "./bootstrap/modules.js";
import { wrapWorker, type BuiltWorker, type WorkerStart } from "./bootstrap/workers.js";
import { adjustBuiltins } from "./prelude/builtins.js";
import { guardChildren } from "./prelude/child_process.js";
import { guardDescriptors } from "./prelude/descriptors.js";
import { folderOf, placeHeapSnapshots } from "./prelude/diagnostics.js";
import { guardInspector } from "./prelude/inspector.js";
import { takeThreadBinding } from "./prelude/internals.js";
import { addLanguageFeatures } from "./prelude/language.js";
import { addNewerMembers } from "./prelude/newer_node.js";
import { guardProcess } from "./prelude/process.js";
import { guardSharedMemory } from "./prelude/shared_memory.js";
import { guardSharedState } from "./prelude/shared_state.js";
import { addWebGlobals } from "./prelude/web.js";

declare const require: NodeJS.Require;
declare const __filename: string;

const builtin = require as unknown as BuiltinRequire;
const threads = builtin<typeof import("node:worker_threads")>("worker_threads");
const { exit } = process;

const binding = {
  log: (_level: string, text: string) => void process.stderr.write(`${text}\n`),
  // What would end the process ends this thread.
  end: (_kind: string, code: number, message: string) => {
    process.stderr.write(`${message}: this worker ends\n`);
    exit(code);
  },
  script: () => (require("./websocket.js") as { default: unknown }).default,
} as unknown as Binding;

const thread = takeThreadBinding(process);
addLanguageFeatures();
addWebGlobals(process, builtin, binding);
const descriptors = guardDescriptors(process, thread);
guardChildren(process, descriptors, thread);
guardSharedState(process);
guardInspector(process, builtin);
guardProcess(process, builtin, binding, thread);
guardSharedMemory(thread);
adjustBuiltins(process, builtin, binding, thread, descriptors);
const diagnosticsDir = folderOf(process.execArgv);
placeHeapSnapshots(process, builtin, () => diagnosticsDir);
builtin("wasi"); // a native import would see it as it is
addNewerMembers(process, builtin);
threads.Worker = wrapWorker(process, builtin, () => ({
  prelude: __filename,
  heapMiB: threads.resourceLimits?.maxOldGenerationSizeMb ?? 0,
  diagnosticsDir,
  threads: thread.workerThreads,
}));
builtin<typeof import("node:module")>("module").syncBuiltinESMExports();

Object.defineProperty(globalThis, Symbol.for("svc.worker"), {
  value: () => {
    const { start, data } = threads.workerData as { start: WorkerStart; data: unknown };
    (threads as { workerData: unknown }).workerData = data;
    builtin<typeof import("node:module")>("module").syncBuiltinESMExports();
    return run(start);
  },
});

interface ModuleClass {
  new (id: string, parent: unknown): NodeModule & { _compile(code: string, path: string): void };
  _nodeModulePaths(folder: string): string[];
}

/** Waits for the builder, which the other thread has asked, and runs what it made. */
function run({ file, port, built }: WorkerStart): unknown {
  Atomics.wait(built, 0, 0);
  const answer = threads.receiveMessageOnPort(port)?.message as BuiltWorker;
  port.close();
  if ("error" in answer) {
    throw new Error(answer.error);
  }
  process.setSourceMapsEnabled(true);
  makeModules(builtin, compile);
  return "href" in answer ? nativeImport(compile, file, answer.href) : compile(answer.code, file);
}

function compile(code: string, file: string): unknown {
  const Module = builtin<ModuleClass>("module");
  const module = new Module(file, null);
  module.filename = file;
  module.paths = Module._nodeModulePaths(builtin<typeof import("node:path")>("path").dirname(file));
  module._compile(code, file);
  return module.exports;
}
