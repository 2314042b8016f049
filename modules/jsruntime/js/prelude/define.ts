/** Adds members that are missing, the way built-ins are: writable, configurable, not enumerable. */
export function addMissing(target: object, members: object): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
    if (!(name in target)) {
      Object.defineProperty(target, name, { ...descriptor, enumerable: false });
    }
  }
}

/** A global whose value is made on first use. */
export function addLazyGlobal(name: string, make: () => unknown): void {
  if (!(name in globalThis)) {
    replaceLazyGlobal(name, make);
  }
}

export function replaceLazyGlobal(name: string, make: () => unknown): void {
  const set = (value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  };
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = make();
      set(value);
      return value;
    },
    set,
  });
}
