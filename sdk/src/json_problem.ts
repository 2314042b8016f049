const kMaxDepth = 128;
const kIdentifier = /^[A-Za-z_$][\w$]*$/;

/**
 * What keeps a value from crossing as JSON, as a sentence that starts with the path from `root`: `$input.items[2] is NaN, …`.
 * Undefined when nothing does. Only plain objects pass; a member that is undefined counts as absent.
 */
export function findJsonProblem(value: unknown, root: string): string | undefined {
  return takeJson(value, root).problem;
}

/** The JSON text of a value, of which each getter is asked once: what was checked is what crosses. */
export function jsonTextOf(value: unknown, root: string): { text: string; problem?: undefined } | { problem: string } {
  const { copy, problem } = takeJson(value, root);
  return problem === undefined ? { text: JSON.stringify(copy) } : { problem };
}

function takeJson(value: unknown, root: string): { copy: unknown; problem: string | undefined } {
  const reader = new Reader();
  return { copy: reader.take(value, root), problem: reader.problem };
}

/** Copies a value until something in it is no JSON. */
class Reader {
  problem: string | undefined;
  readonly #ancestors = new Set<object>();

  take(value: unknown, path: string): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : this.#refuse(`${path} is ${value}, which JSON cannot hold`);
      case "object":
        return value === null ? null : this.#takeNested(value, path);
      default:
        return this.#refuse(`${path} is ${typeof value === "undefined" ? "undefined" : `a ${typeof value}`}, which JSON cannot hold`);
    }
  }

  #refuse(problem: string): undefined {
    this.problem = problem;
    return undefined;
  }

  #takeNested(value: object, path: string): unknown {
    if (this.#ancestors.has(value)) {
      return this.#refuse(`${path} contains itself`);
    }
    if (this.#ancestors.size >= kMaxDepth) {
      return this.#refuse(`${path} is nested deeper than ${kMaxDepth} levels (the limit jsonDepth)`);
    }
    this.#ancestors.add(value);
    const copy = Array.isArray(value) ? this.#takeArray(value, path) : this.#takeObject(value, path);
    this.#ancestors.delete(value);
    return copy;
  }

  #takeArray(value: unknown[], path: string): unknown {
    const copy: unknown[] = [];
    for (let index = 0; index < value.length && this.problem === undefined; index++) {
      copy.push(this.take(value[index], `${path}[${index}]`));
    }
    return copy;
  }

  #takeObject(value: object, path: string): unknown {
    const prototype: object | null = Object.getPrototypeOf(value);
    // A prototype without a prototype is some realm's Object.prototype.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      const name: unknown = prototype.constructor?.name;
      return this.#refuse(`${path} is an instance of ${typeof name === "string" && name !== "" ? name : "a class"}, not a plain object`);
    }
    const [symbol] = Object.getOwnPropertySymbols(value);
    if (symbol !== undefined) {
      return this.#refuse(`${path} has the key ${String(symbol)}, and JSON has no symbols`);
    }
    // Its own members only, each a value: also one that is called "__proto__".
    const copy = { ...value } as Record<string, unknown>;
    for (const key of Object.keys(copy)) {
      if (this.problem !== undefined) {
        break;
      }
      const place = kIdentifier.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
      if (copy[key] !== undefined) {
        copy[key] = this.take(copy[key], place);
      }
    }
    return copy;
  }
}
