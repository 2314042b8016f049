/** Grouping, and the set methods. */
import { addMissing } from "./define.js";

export function addCollections(): void {
  addMissing(Object, {
    groupBy<T>(items: Iterable<T>, keyOf: (item: T, index: number) => PropertyKey) {
      const groups = Object.create(null) as Record<PropertyKey, T[]>;
      let index = 0;
      for (const item of items) {
        const key = keyOf(item, index++);
        (groups[key] ??= []).push(item);
      }
      return groups;
    },
  });
  addMissing(Map, {
    groupBy<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K) {
      const groups = new Map<K, T[]>();
      let index = 0;
      for (const item of items) {
        const key = keyOf(item, index++);
        const group = groups.get(key);
        if (group) {
          group.push(item);
        } else {
          groups.set(key, [item]);
        }
      }
      return groups;
    },
  });
  addMissing(Set.prototype, setMethods);
}

/** Anything with `size`, `has` and `keys`: a Set, a Map, or a look-alike. */
interface SetLike {
  size: number;
  has(value: unknown): boolean;
  keys(): Iterator<unknown>;
}

function setLike(other: unknown): SetLike {
  const candidate = other as SetLike;
  if (typeof other !== "object" || other === null || Number.isNaN(Number(candidate.size))) {
    throw new TypeError("The argument must be a set: an object with size, has and keys");
  }
  if (typeof candidate.has !== "function" || typeof candidate.keys !== "function") {
    throw new TypeError("The argument must be a set: has and keys must be functions");
  }
  return candidate;
}

function* keysOf(other: SetLike): Generator<unknown> {
  const keys = other.keys();
  for (let step = keys.next(); !step.done; step = keys.next()) {
    yield step.value;
  }
}

const setMethods = {
  union(this: Set<unknown>, other: unknown) {
    const result = new Set(this);
    for (const value of keysOf(setLike(other))) {
      result.add(value);
    }
    return result;
  },
  intersection(this: Set<unknown>, other: unknown) {
    const set = setLike(other);
    const result = new Set<unknown>();
    if (this.size <= set.size) {
      for (const value of this) {
        if (set.has(value)) {
          result.add(value);
        }
      }
    } else {
      for (const value of keysOf(set)) {
        if (this.has(value)) {
          result.add(value);
        }
      }
    }
    return result;
  },
  difference(this: Set<unknown>, other: unknown) {
    const set = setLike(other);
    const result = new Set(this);
    for (const value of this) {
      if (set.has(value)) {
        result.delete(value);
      }
    }
    return result;
  },
  symmetricDifference(this: Set<unknown>, other: unknown) {
    const result = new Set(this);
    for (const value of keysOf(setLike(other))) {
      if (this.has(value)) {
        result.delete(value);
      } else {
        result.add(value);
      }
    }
    return result;
  },
  isSubsetOf(this: Set<unknown>, other: unknown) {
    const set = setLike(other);
    return this.size <= set.size && [...this].every((value) => set.has(value));
  },
  isSupersetOf(this: Set<unknown>, other: unknown) {
    const set = setLike(other);
    if (this.size < set.size) {
      return false;
    }
    for (const value of keysOf(set)) {
      if (!this.has(value)) {
        return false;
      }
    }
    return true;
  },
  isDisjointFrom(this: Set<unknown>, other: unknown) {
    const set = setLike(other);
    return ![...this].some((value) => set.has(value));
  },
};
