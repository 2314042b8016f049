/**
 * Node's `inspector` inside a script: its port would be open to whoever finds it, and waiting for a debugger, or pausing in
 * one, would stand still until the watchdog ends the plugin. The service opens it, with the watchdog put off.
 */
import type { Binding, BuiltinRequire } from "../binding.js";
import { internalBinding } from "./internals.js";
import { ownerOf } from "./owner.js";

type Member = (...args: never[]) => unknown;

const kRefused = {
  open: "inspector.open()",
  waitForDebugger: "inspector.waitForDebugger()",
  Connection: "inspector.Session.connect()",
  MainThreadConnection: "inspector.Session.connectToMainThread()",
} as const;

/** Before anything asks for Node's `inspector`, whose functions are those that the binding has then. */
export function guardInspector(process: NodeJS.Process, builtin: BuiltinRequire): Binding["withInspector"] {
  const inspector = internalBinding<Record<string, Member | undefined>>(process, "inspector");
  let allowed = false;
  const check = (what: string): void => {
    if (!allowed) {
      const message = `${what} is not supported in a plugin: ${ownerOf(builtin).debugger}`;
      throw Object.assign(new Error(message), { code: "ERR_INSPECTOR_NOT_AVAILABLE" });
    }
  };
  for (const [name, what] of Object.entries(kRefused)) {
    const original = inspector[name];
    if (original !== undefined) {
      inspector[name] = new Proxy(original, {
        apply: (target, self, args) => (check(what), Reflect.apply(target, self, args) as unknown),
        construct: (target, args, newTarget) => (check(what), Reflect.construct(target, args, newTarget) as object),
      });
    }
  }
  return (act) => {
    allowed = true;
    try {
      return act();
    } finally {
      allowed = false;
    }
  };
}
