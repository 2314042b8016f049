/** Where and why a value is not strict JSON. `path` is empty for the value itself, else like `items[2].when`. */
export interface JsonViolation {
  path: string;
  reason: string;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { stringify } = JSON;
const { keys, getPrototypeOf } = Object;
const { propertyIsEnumerable } = Object.prototype;
const plain = Object.prototype;
const { isFinite } = Number;
const { isArray } = Array;

/** The limit jsonDepth: objects and arrays around a value, itself included. */
const MAX_DEPTH = 128;
/** Objects and arrays of a value whose depth is to be told. */
const MOST_LOOKED_AT = 100_000;
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

export interface JsonCopy {
  /** Undefined when there is a violation. */
  copy: unknown;
  violation: JsonViolation | null;
  /** In the copy; null when it has no long texts. */
  holders: HoldersOfLongText | null;
}

/**
 * A copy of a value that is strict JSON: plain objects, arrays, strings, finite numbers, booleans and null. An object
 * property that is undefined counts as absent. What was checked is what is sent: each getter is asked once, and the copy has
 * none. The path is built only for a violation.
 */
export function copyJson(value: unknown): JsonCopy {
  longTexts = 0;
  holders = null;
  const copy = copyValue(value, 0);
  if (copy !== kRefused) {
    if (isLongText(copy)) {
      noteHolder(copy, 0);
    }
    return { copy, violation: null, holders };
  }
  // The path to the depth limit is as long as the limit and says nothing.
  const violation = tooDeep
    ? { path: "", reason: depthReason(value) }
    : { path: refused.path.startsWith(".") ? refused.path.slice(1) : refused.path, reason: refused.reason };
  return { copy: undefined, violation, holders: null };
}

/** Null when the value is strict JSON. For what is not sent: see copyJson(). */
export function checkJson(value: unknown): JsonViolation | null {
  return copyJson(value).violation;
}

/** The JSON text of a value, or why it has none. */
export function jsonTextOf(value: unknown): string | JsonViolation {
  const { copy, violation } = copyJson(value);
  return violation ?? stringify(copy);
}

/** `value.items[2] is undefined`: one sentence for error messages. */
export function describeViolation(subject: string, violation: JsonViolation): string {
  const separator = violation.path === "" || violation.path.startsWith("[") ? "" : ".";
  return `${subject}${separator}${violation.path} ${violation.reason}`;
}

/** What copyValue() returns for a value that is not JSON; `refused` says why. */
const kRefused = Symbol("not JSON");
let refused: JsonViolation = { path: "", reason: "" };
let tooDeep = false;

function refuse(reason: string): typeof kRefused {
  refused = { path: "", reason };
  tooDeep = false;
  return kRefused;
}

function refuseDepth(): typeof kRefused {
  tooDeep = true;
  return kRefused;
}

/** On the way back from what was refused: its path is built from the end. */
function refuseBelow(place: string): typeof kRefused {
  if (!tooDeep) {
    refused.path = place + refused.path;
  }
  return kRefused;
}

function copyValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      if (value.length >= LONG_TEXT) {
        longTexts++;
      }
      return value;
    case "boolean":
      return value;
    case "number":
      return isFinite(value) ? value : refuse(`is ${value}, which JSON cannot hold`);
    case "undefined":
      return refuse("is undefined");
    case "object":
      if (value === null) {
        return null;
      }
      return depth >= MAX_DEPTH ? refuseDepth() : copyNested(value, depth);
    default:
      return refuse(`is a ${typeof value}`);
  }
}

function copyNested(value: object, depth: number): unknown {
  if (isArray(value)) {
    return copyArray(value as unknown[], depth);
  }
  const prototype = getPrototypeOf(value) as object | null;
  // A prototype without a prototype is some realm's Object.prototype.
  if (prototype !== null && prototype !== plain && getPrototypeOf(prototype) !== null) {
    return refuse(`is an instance of ${className(prototype)}, not a plain object`);
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== "function" || propertyIsEnumerable.call(value, "toJSON")) {
    return copyObject(value, depth);
  }
  // What it says is sent in its place, as JSON.stringify() does: once, for it may say itself.
  const said: unknown = toJSON.call(value, "");
  return typeof said === "object" && said !== null && !isArray(said) ? copyObject(said, depth) : copyValue(said, depth);
}

function copyArray(values: unknown[], depth: number): unknown {
  const before = longTexts;
  const copies: unknown[] = [];
  for (let index = 0; index < values.length; index++) {
    const copy = copyValue(values[index], depth + 1);
    if (copy === kRefused) {
      return refuseBelow(`[${index}]`);
    }
    copies[index] = copy;
  }
  noteHolder(copies, before);
  return copies;
}

function copyObject(value: object, depth: number): unknown {
  const before = longTexts;
  // As fast as to read its members, and what is read again below is no getter any more.
  const copies = { ...value } as Record<string, unknown>;
  const names = keys(copies);
  for (let index = 0; index < names.length; index++) {
    const key = names[index] as string;
    const member = copies[key];
    if (member === undefined) {
      continue;
    }
    const copy = copyValue(member, depth + 1);
    if (copy === kRefused) {
      return refuseBelow(IDENTIFIER.test(key) ? `.${key}` : `[${stringify(key)}]`);
    }
    if (copy !== member) {
      copies[key] = copy;
    }
  }
  noteHolder(copies, before);
  return copies;
}

function className(prototype: object): string {
  const name: unknown = prototype.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

/** A cycle always ends at the depth limit; only then is it worth looking for one. */
function depthReason(value: unknown): string {
  if (hasCycle(value, new Set())) {
    return "contains itself";
  }
  const depth = depthOf(value);
  const found = depth === undefined ? `deeper than ${MAX_DEPTH} levels` : `${depth} levels deep`;
  return `is nested ${found}, the limit jsonDepth is ${MAX_DEPTH}`;
}

/** Undefined when it takes long to find out. */
function depthOf(value: unknown): number | undefined {
  let level = [value];
  for (let depth = 0, seen = 0; ; depth++) {
    level = level.filter((each) => typeof each === "object" && each !== null);
    seen += level.length;
    if (level.length === 0 || seen > MOST_LOOKED_AT) {
      return level.length === 0 ? depth : undefined;
    }
    level = level.flatMap((each) => Object.values(each as object) as unknown[]);
  }
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
