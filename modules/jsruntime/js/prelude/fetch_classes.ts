/** The classes of fetch, which take long to load: what is added to them is added when one is first used. */
import { replaceLazyGlobal } from "./define.js";

export function whenFetchLoads(add: () => void): void {
  let pending = true;
  const addOnce = (): void => {
    if (pending) {
      pending = false;
      add();
    }
  };
  for (const name of ["Headers", "Request", "Response"] as const) {
    const { get } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    if (get === undefined) {
      return; // an engine that has them from the start has the members too
    }
    replaceLazyGlobal(name, () => {
      const value: unknown = get.call(globalThis);
      addOnce();
      return value;
    });
  }
  const { fetch } = globalThis;
  globalThis.fetch = {
    async fetch(input: RequestInfo | URL, init?: RequestInit) {
      addOnce();
      return fetch(input, init);
    },
  }.fetch;
}
