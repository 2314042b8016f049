/** Where and why a value is not strict JSON. `path` is empty for the value itself, else like `items[2].when`. */
export interface JsonViolation {
  path: string;
  reason: string;
}

const MAX_DEPTH = 128;
/** From so many characters on, a text is worth being quoted apart from the rest. */
const LONG_TEXT = 1024;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The objects and arrays in which a long text is, however deep; a value that is one itself counts as its own. */
export type HoldersOfLongText = Set<unknown>;

// Of the value that is being checked: a call that holds no long text allocates nothing for them.
let longTexts = 0;
let holders: HoldersOfLongText | null = null;

function noteHolder(value: unknown, before: number): void {
  if (longTexts !== before) {
    (holders ??= new Set()).add(value);
  }
}

export function isLongText(value: unknown): value is string {
  return typeof value === "string" && value.length >= LONG_TEXT;
}

/** As checkJson(), and where the long texts of a value are: null when it has none. */
export function checkJsonWithTexts(value: unknown): { violation: JsonViolation | null; holders: HoldersOfLongText | null } {
  const violation = checkJson(value);
  if (isLongText(value)) {
    noteHolder(value, 0);
  }
  return { violation, holders };
}

/**
 * Null when the value is strict JSON: plain objects, arrays, strings, finite numbers, booleans and null. An object
 * property that is undefined counts as absent. Nothing is copied, and the path is built only for a violation.
 */
export function checkJson(value: unknown): JsonViolation | null {
  longTexts = 0;
  holders = null;
  const found = check(value, 0);
  if (found === null) {
    return null;
  }
  // The path to the depth limit is as long as the limit and says nothing.
  if (found.depth) {
    return { path: "", reason: depthReason(value) };
  }
  return { path: found.path.startsWith(".") ? found.path.slice(1) : found.path, reason: found.reason };
}

/** `value.items[2] is undefined`: one sentence for error messages. */
export function describeViolation(subject: string, violation: JsonViolation): string {
  const separator = violation.path === "" || violation.path.startsWith("[") ? "" : ".";
  return `${subject}${separator}${violation.path} ${violation.reason}`;
}

interface Found extends JsonViolation {
  depth?: boolean;
}

function check(value: unknown, depth: number): Found | null {
  switch (typeof value) {
    case "string":
      if (value.length >= LONG_TEXT) {
        longTexts++;
      }
      return null;
    case "boolean":
      return null;
    case "number":
      return Number.isFinite(value) ? null : { path: "", reason: `is ${value}, which JSON cannot hold` };
    case "undefined":
      return { path: "", reason: "is undefined" };
    case "object":
      if (value === null) {
        return null;
      }
      if (depth >= MAX_DEPTH) {
        return { path: "", reason: "", depth: true };
      }
      return Array.isArray(value) ? checkArray(value, depth) : checkObject(value, depth);
    default:
      return { path: "", reason: `is a ${typeof value}` };
  }
}

function checkArray(values: unknown[], depth: number): Found | null {
  const before = longTexts;
  for (let index = 0; index < values.length; index++) {
    const found = check(values[index], depth + 1);
    if (found !== null) {
      return { ...found, path: `[${index}]${found.path}` };
    }
  }
  noteHolder(values, before);
  return null;
}

function checkObject(value: object, depth: number): Found | null {
  const prototype = Object.getPrototypeOf(value);
  // A prototype without a prototype is some realm's Object.prototype.
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    return { path: "", reason: `is an instance of ${className(prototype)}, not a plain object` };
  }
  const before = longTexts;
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const member = record[key];
    if (member === undefined) {
      continue;
    }
    const found = check(member, depth + 1);
    if (found !== null) {
      return { ...found, path: (IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`) + found.path };
    }
  }
  noteHolder(value, before);
  return null;
}

function className(prototype: object): string {
  const name: unknown = prototype.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

/** A cycle always ends at the depth limit; only then is it worth looking for one. */
function depthReason(value: unknown): string {
  return hasCycle(value, new Set()) ? "contains itself" : `is nested deeper than ${MAX_DEPTH} levels`;
}

function hasCycle(value: unknown, ancestors: Set<object>): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  if (ancestors.has(value)) {
    return true;
  }
  if (ancestors.size > MAX_DEPTH) {
    return false;
  }
  ancestors.add(value);
  const found = Object.values(value).some((member) => hasCycle(member, ancestors));
  ancestors.delete(value);
  return found;
}
