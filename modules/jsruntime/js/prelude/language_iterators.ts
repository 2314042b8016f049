/** Iterator helpers: `Iterator.from`, and `map`, `filter`, … on every built-in iterator. */
import { addMissing } from "./define.js";

type Step = Iterator<unknown>;

export function addIteratorHelpers(): void {
  const prototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;
  if (!("Iterator" in globalThis)) {
    const constructor = function Iterator(this: unknown): void {
      if (new.target === undefined || new.target === (constructor as unknown)) {
        throw new TypeError("Iterator is an abstract class: extend it");
      }
    };
    Object.defineProperty(constructor, "prototype", { value: prototype, writable: false });
    Object.defineProperty(globalThis, "Iterator", { value: constructor, writable: true, configurable: true });
    addMissing(constructor, { from });
    addMissing(prototype, {
      constructor,
      get [Symbol.toStringTag]() {
        return "Iterator";
      },
    });
  }
  addMissing(prototype, helpers);
}

function from(source: unknown): Step {
  const iterable = source as Iterable<unknown> & Step;
  if (typeof iterable?.[Symbol.iterator] === "function") {
    return lazily(iterable[Symbol.iterator](), function* (step) {
      yield* steps(step);
    });
  }
  return lazily(needIterator(source), function* (step) {
    yield* steps(step);
  });
}

function needIterator(value: unknown): Step {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    throw new TypeError(String(value) + " is not an object");
  }
  return value as Step;
}

function needFunction(value: unknown): void {
  if (typeof value !== "function") {
    throw new TypeError(String(value) + " is not a function");
  }
}

function needCount(value: unknown): number {
  const count = Number(value);
  if (Number.isNaN(count) || Math.trunc(count) < 0) {
    throw new RangeError(String(value) + " must be positive");
  }
  return Math.trunc(count);
}

/** Every value of an iterator; closes it when the consumer stops early. */
function* steps(iterator: Step): Generator<unknown> {
  const next = iterator.next;
  let exhausted = false;
  try {
    for (;;) {
      let step: IteratorResult<unknown>;
      try {
        step = next.call(iterator);
      } catch (error) {
        exhausted = true;
        throw error;
      }
      if (step.done) {
        exhausted = true;
        return;
      }
      yield step.value;
    }
  } finally {
    if (!exhausted) {
      iterator.return?.();
    }
  }
}

/** A helper iterator: starts on its first next(), and a return() before that closes the source too. */
function lazily(source: Step, body: (source: Step) => Generator<unknown>): Step {
  const generator = body(source);
  let started = false;
  const helper = Object.create(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))) as Step;
  const members = {
    next() {
      started = true;
      return generator.next();
    },
    return() {
      if (!started) {
        started = true;
        source.return?.();
      }
      return generator.return(undefined);
    },
  };
  addMissing(helper, members);
  return helper;
}

const helpers = {
  map(this: Step, mapper: (value: unknown, index: number) => unknown) {
    needFunction(mapper);
    return lazily(needIterator(this), function* (source) {
      let index = 0;
      for (const value of steps(source)) {
        yield mapper(value, index++);
      }
    });
  },
  filter(this: Step, test: (value: unknown, index: number) => unknown) {
    needFunction(test);
    return lazily(needIterator(this), function* (source) {
      let index = 0;
      for (const value of steps(source)) {
        if (test(value, index++)) {
          yield value;
        }
      }
    });
  },
  take(this: Step, limit: number) {
    const count = needCount(limit);
    return lazily(needIterator(this), function* (source) {
      let left = count;
      if (left === 0) {
        source.return?.();
        return;
      }
      for (const value of steps(source)) {
        yield value;
        if (--left === 0) {
          return;
        }
      }
    });
  },
  drop(this: Step, limit: number) {
    const count = needCount(limit);
    return lazily(needIterator(this), function* (source) {
      let left = count;
      for (const value of steps(source)) {
        if (left > 0) {
          --left;
        } else {
          yield value;
        }
      }
    });
  },
  flatMap(this: Step, mapper: (value: unknown, index: number) => Iterable<unknown>) {
    needFunction(mapper);
    return lazily(needIterator(this), function* (source) {
      let index = 0;
      for (const value of steps(source)) {
        const inner = mapper(value, index++);
        if (typeof inner === "string") {
          throw new TypeError("flatMap needs an iterable object, not a string");
        }
        yield* inner;
      }
    });
  },
  reduce(this: Step, ...args: [reducer: (sum: unknown, value: unknown, index: number) => unknown, initial?: unknown]) {
    const [reducer] = args;
    needFunction(reducer);
    let seeded = args.length > 1;
    let sum = args[1];
    let index = 0;
    for (const value of steps(needIterator(this))) {
      sum = seeded ? reducer(sum, value, index) : value;
      seeded = true;
      ++index;
    }
    if (!seeded) {
      throw new TypeError("Reduce of empty iterator with no initial value");
    }
    return sum;
  },
  toArray(this: Step) {
    return [...steps(needIterator(this))];
  },
  forEach(this: Step, visit: (value: unknown, index: number) => void) {
    needFunction(visit);
    let index = 0;
    for (const value of steps(needIterator(this))) {
      visit(value, index++);
    }
  },
  some(this: Step, test: (value: unknown, index: number) => unknown) {
    needFunction(test);
    let index = 0;
    for (const value of steps(needIterator(this))) {
      if (test(value, index++)) {
        return true;
      }
    }
    return false;
  },
  every(this: Step, test: (value: unknown, index: number) => unknown) {
    needFunction(test);
    let index = 0;
    for (const value of steps(needIterator(this))) {
      if (!test(value, index++)) {
        return false;
      }
    }
    return true;
  },
  find(this: Step, test: (value: unknown, index: number) => unknown) {
    needFunction(test);
    let index = 0;
    for (const value of steps(needIterator(this))) {
      if (test(value, index++)) {
        return value;
      }
    }
    return undefined;
  },
};
