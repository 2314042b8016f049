/** Functions of the host, by name. */
import type { Binding } from "../binding.js";
import type { Errors } from "./errors.js";

export interface HostFunctions {
  setNames(names: string[]): void;
  callSync(name: string, argument?: string): string | undefined;
  call(name: string, argument?: string): Promise<string | undefined>;
  transfer(name: string, argument?: string, bytes?: Uint8Array): Promise<Uint8Array | undefined>;
  /** C++: the answer to call() or transfer(); with a code it is an error. */
  settle(id: number, value?: string | Uint8Array, code?: string, message?: string, details?: string, issues?: string): void;
}

interface Waiting {
  resolve(value: string | Uint8Array | undefined): void;
  reject(error: Error): void;
}

export function makeHostFunctions(binding: Binding, errors: Errors): HostFunctions {
  const indices = new Map<string, number>();
  const waiting = new Map<number, Waiting>();
  let last = 0;

  const indexOf = (name: string): number => {
    const index = indices.get(name);
    if (index === undefined) {
      throw new TypeError(`there is no host function "${name}"`);
    }
    return index;
  };

  const asked = <T>(name: string, ask: (index: number, id: number) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      const index = indexOf(name);
      const id = ++last;
      waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      try {
        ask(index, id);
      } catch (error) {
        waiting.delete(id);
        throw error;
      }
    });

  return {
    setNames: (names) => names.forEach((name, index) => indices.set(name, index)),
    callSync: (name, argument) => binding.callSync(indexOf(name), argument),
    call: (name, argument) => asked(name, (index, id) => binding.call(index, argument, id)),
    transfer: (name, argument, bytes) => asked(name, (index, id) => binding.transfer(index, argument, id, bytes)),
    settle(id, value, code, message, details, issues) {
      const entry = waiting.get(id);
      waiting.delete(id);
      if (code === undefined) {
        entry?.resolve(value);
      } else {
        entry?.reject(errors.fromHost(code, message ?? "", details, issues));
      }
    },
  };
}
