/** Runs first in every environment: what modern code expects of its surroundings, and the walls around the process. */
import type { Binding, BuiltinRequire } from "./binding.js";
import { adjustBuiltins } from "./prelude/builtins.js";
import { guardChildren } from "./prelude/child_process.js";
import { guardDescriptors } from "./prelude/descriptors.js";
import { placeHeapSnapshots } from "./prelude/diagnostics.js";
import { guardInspector } from "./prelude/inspector.js";
import { takeThreadBinding } from "./prelude/internals.js";
import { addLanguageFeatures } from "./prelude/language.js";
import { addNewerMembers } from "./prelude/newer_node.js";
import { guardProcess } from "./prelude/process.js";
import { redirectStdio } from "./prelude/stdio.js";
import { guardSharedMemory } from "./prelude/shared_memory.js";
import { guardSharedState } from "./prelude/shared_state.js";
import { addWebGlobals } from "./prelude/web.js";

export default function prelude(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): void {
  addLanguageFeatures();
  addWebGlobals(process, builtin, binding);
  redirectStdio(process, builtin, binding);
  const thread = takeThreadBinding(process);
  binding.workerThreads = thread.workerThreads;
  const descriptors = guardDescriptors(process, thread);
  guardChildren(process, descriptors, thread);
  guardSharedState(process);
  binding.withInspector = guardInspector(process, builtin);
  guardProcess(process, builtin, binding, thread);
  guardSharedMemory(thread);
  adjustBuiltins(process, builtin, binding, thread, descriptors);
  placeHeapSnapshots(process, builtin, () => binding.diagnosticsDir);
  addNewerMembers(process, builtin);
}
