const kMaxDepth = 128;
const kIdentifier = /^[A-Za-z_$][\w$]*$/;

/**
 * What keeps a value from crossing as JSON, as a sentence that starts with the path from `root`: `$input.items[2] is NaN, …`.
 * Undefined when nothing does. Only plain objects pass; a member that is undefined counts as absent.
 */
export function findJsonProblem(value: unknown, root: string): string | undefined {
  return find(value, root, new Set());
}

function find(value: unknown, path: string, ancestors: Set<object>): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${path} is ${value}, which JSON cannot hold`;
    case "object":
      return value === null ? undefined : findInside(value, path, ancestors);
    default:
      return `${path} is ${typeof value === "undefined" ? "undefined" : `a ${typeof value}`}, which JSON cannot hold`;
  }
}

function findInside(value: object, path: string, ancestors: Set<object>): string | undefined {
  if (ancestors.has(value)) {
    return `${path} contains itself`;
  }
  if (ancestors.size >= kMaxDepth) {
    return `${path} is nested deeper than ${kMaxDepth} levels`;
  }
  ancestors.add(value);
  const problem = Array.isArray(value) ? inArray(value, path, ancestors) : inObject(value, path, ancestors);
  ancestors.delete(value);
  return problem;
}

function inArray(value: unknown[], path: string, ancestors: Set<object>): string | undefined {
  for (let index = 0; index < value.length; index++) {
    const problem = find(value[index], `${path}[${index}]`, ancestors);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function inObject(value: object, path: string, ancestors: Set<object>): string | undefined {
  const prototype: object | null = Object.getPrototypeOf(value);
  // A prototype without a prototype is some realm's Object.prototype.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const name: unknown = prototype.constructor?.name;
    return `${path} is an instance of ${typeof name === "string" && name !== "" ? name : "a class"}, not a plain object`;
  }
  const [symbol] = Object.getOwnPropertySymbols(value);
  if (symbol !== undefined) {
    return `${path} has the key ${String(symbol)}, and JSON has no symbols`;
  }
  for (const [key, member] of Object.entries(value)) {
    const place = kIdentifier.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    const problem = member === undefined ? undefined : find(member, place, ancestors);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}
