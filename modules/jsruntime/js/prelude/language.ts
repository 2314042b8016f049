/** Language built-ins of Node 22 that an older V8 lacks. */
import { addCollections } from "./language_collections.js";
import { addMissing } from "./define.js";
import { addIteratorHelpers } from "./language_iterators.js";
import { addUnicodeSets } from "./language_regexp.js";

export function addLanguageFeatures(): void {
  addPromises();
  addArrays();
  addStrings();
  addCollections();
  addIteratorHelpers();
  addUnicodeSets();
}

function addPromises(): void {
  addMissing(Promise, {
    withResolvers<T>(this: PromiseConstructor) {
      let resolve!: (value: T | PromiseLike<T>) => void;
      let reject!: (reason?: unknown) => void;
      const promise = new this<T>((yes, no) => {
        resolve = yes;
        reject = no;
      });
      return { promise, resolve, reject };
    },
    try<A extends unknown[], R>(this: PromiseConstructor, callback: (...args: A) => R, ...args: A) {
      return new this<unknown>((resolve) => resolve(callback(...args)));
    },
  });
}

function relativeIndex(index: number | undefined, length: number): number {
  const at = Math.trunc(Number(index)) || 0;
  return at < 0 ? length + at : at;
}

function addArrays(): void {
  addMissing(Array.prototype, {
    toReversed(this: ArrayLike<unknown>) {
      return Array.from(this).reverse();
    },
    toSorted(this: ArrayLike<unknown>, compare?: (a: unknown, b: unknown) => number) {
      if (compare !== undefined && typeof compare !== "function") {
        throw new TypeError("The comparison function must be either a function or undefined");
      }
      return Array.from(this).sort(compare);
    },
    toSpliced(this: ArrayLike<unknown>, ...args: [start: number, count?: number, ...items: unknown[]]) {
      const copy = Array.from(this);
      (copy.splice as (...args: unknown[]) => unknown).apply(copy, args);
      return copy;
    },
    with(this: ArrayLike<unknown>, index: number, value: unknown) {
      const copy = Array.from(this);
      const at = relativeIndex(index, copy.length);
      if (at < 0 || at >= copy.length) {
        throw new RangeError("Invalid index : " + index);
      }
      copy[at] = value;
      return copy;
    },
  });
  addMissing(Object.getPrototypeOf(Uint8Array.prototype) as object, {
    toReversed(this: Uint8Array) {
      return this.slice().reverse();
    },
    toSorted(this: Uint8Array, compare?: (a: number, b: number) => number) {
      return this.slice().sort(compare);
    },
    with(this: Uint8Array, index: number, value: number) {
      const at = relativeIndex(index, this.length);
      if (at < 0 || at >= this.length) {
        throw new RangeError("Invalid typed array index");
      }
      const copy = this.slice();
      copy[at] = value;
      return copy;
    },
  });
  addMissing(Array, { fromAsync });
}

async function fromAsync(
  this: unknown,
  source: AsyncIterable<unknown> | Iterable<unknown> | ArrayLike<unknown>,
  map?: (value: unknown, index: number) => unknown,
  self?: unknown,
): Promise<unknown[]> {
  const out: unknown[] = [];
  const add = async (value: unknown): Promise<void> => {
    out.push(map ? await map.call(self, value, out.length) : value);
  };
  if (source != null && (Symbol.asyncIterator in Object(source) || Symbol.iterator in Object(source))) {
    for await (const value of source as AsyncIterable<unknown>) {
      await add(value);
    }
  } else {
    const list = source as ArrayLike<unknown>;
    for (let at = 0; at < list.length; ++at) {
      await add(await list[at]);
    }
  }
  return out;
}

const kLoneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function addStrings(): void {
  addMissing(String.prototype, {
    isWellFormed(this: string) {
      return !kLoneSurrogate.test(String(this));
    },
    toWellFormed(this: string) {
      return String(this).replace(new RegExp(kLoneSurrogate, "g"), "\ufffd");
    },
  });
}
