/** Runs first in every environment: what modern code expects of its surroundings, and the walls around the process. */
import type { Binding, BuiltinRequire } from "./binding.js";
import { adjustBuiltins } from "./prelude/builtins.js";
import { addLanguageFeatures } from "./prelude/language.js";
import { guardProcess } from "./prelude/process.js";
import { redirectStdio } from "./prelude/stdio.js";
import { addWebGlobals } from "./prelude/web.js";

export default function prelude(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): void {
  addLanguageFeatures();
  addWebGlobals(process, builtin, binding);
  redirectStdio(process, builtin, binding);
  guardProcess(process, builtin, binding);
  adjustBuiltins(process, builtin, binding);
}
