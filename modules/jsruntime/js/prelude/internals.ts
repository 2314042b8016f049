import type { ThreadBinding } from "../binding.js";

/** One of Node's own bindings, for the walls: before guardProcess() keeps those that reach the process from the plugin. */
export function internalBinding<T>(process: NodeJS.Process, name: string): T {
  return (process as unknown as { binding(name: string): T }).binding(name);
}

/** The same where a newer Node keeps it to itself. */
export function internalBindingIfThere<T>(process: NodeJS.Process, name: string): T | undefined {
  try {
    return internalBinding<T>(process, name);
  } catch {
    return undefined;
  }
}

/** Once in each thread: what comes later finds nothing in it. */
export function takeThreadBinding(process: NodeJS.Process): ThreadBinding {
  const shared = (process as unknown as { _linkedBinding(name: string): ThreadBinding })._linkedBinding("svc_thread");
  const own = { ...shared };
  for (const name of Object.keys(own) as (keyof ThreadBinding)[]) {
    delete (shared as Partial<ThreadBinding>)[name];
  }
  return own;
}
