/** What registrations of an app entry are checked with, and the words they are refused in. */

/** Throws `TypeError("<kind>: <what>")`. */
export type Refuse = (what: string) => never;
/** Checks a value and returns what is kept of it. `name` is the field as it reads in a message. */
export type Check = (refuse: Refuse, name: string, value: unknown) => unknown;

export interface Field {
  readonly required: boolean;
  readonly check: Check;
}
export type Fields = { readonly [name: string]: Field };

export function refuser(kind: string): Refuse {
  return (what) => {
    throw new TypeError(`${kind}: ${what}`);
  };
}

export const required = (check: Check): Field => ({ required: true, check });
export const optional = (check: Check): Field => ({ required: false, check });

/** What a value is called in a message: "null", "an array", "a string", … */
export function kindOf(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (value === undefined) {
    return "undefined";
  }
  if (Array.isArray(value)) {
    return "an array";
  }
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function grammar(pattern: RegExp, words: string): Check {
  return (refuse, name, value) => {
    if (typeof value !== "string") {
      return refuse(`${name} must be a string, is ${kindOf(value)}`);
    }
    return pattern.test(value) ? value : refuse(`${name} "${value}" must be ${words}`);
  };
}

export const id = grammar(/^[a-zA-Z0-9_-]+$/, 'one or more letters, digits, "-" and "_"');
export const directiveId = grammar(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'lower-case letters and digits in words joined by "-"');

/** Text that is not blank. */
export const text: Check = (refuse, name, value) =>
  typeof value === "string" && value.trim() !== "" ? value : refuse(`${name} must be non-blank text`);

/** Which names exist is known to the window only, and an unknown one is no failure. */
export const icon = text;

export const flag: Check = (refuse, name, value) =>
  typeof value === "boolean" ? value : refuse(`${name} must be true or false, is ${kindOf(value)}`);

export const callback: Check = (refuse, name, value) =>
  typeof value === "function" ? value : refuse(`${name} must be a function, is ${kindOf(value)}`);

/** A flag, or a function that says it. */
export const flagOrFunction: Check = (refuse, name, value) =>
  typeof value === "boolean" || typeof value === "function"
    ? value
    : refuse(`${name} must be true, false or a function, is ${kindOf(value)}`);

/** How React marks what memo, forwardRef and lazy return. */
const kWrappers = ["react.memo", "react.forward_ref", "react.lazy"].map((name) => Symbol.for(name));

/** What React renders as a component. */
export const component: Check = (refuse, name, value) => {
  // Contexts, elements and portals have such a mark too, and are no components.
  const mark = (value as { $$typeof?: unknown } | null | undefined)?.$$typeof;
  return typeof value === "function" || kWrappers.includes(mark as symbol)
    ? value
    : refuse(`${name} must be a component, is ${kindOf(value)}`);
};

export const anything: Check = (_refuse, _name, value) => value;

export function oneOf(...choices: string[]): Check {
  return (refuse, name, value) =>
    choices.includes(value as string)
      ? value
      : refuse(`${name} must be ${choices.map((choice) => `"${choice}"`).join(" or ")}, is ${shown(value)}`);
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : kindOf(value);
}

/** An array whose elements pass `check`; the copy is frozen. */
export function arrayOf(check: Check, atLeast = 0): Check {
  return (refuse, name, value) => {
    if (!Array.isArray(value)) {
      return refuse(`${name} must be an array, is ${kindOf(value)}`);
    }
    if (value.length < atLeast) {
      return refuse(`${name} must have at least ${atLeast} ${atLeast === 1 ? "entry" : "entries"}, has ${value.length}`);
    }
    return Object.freeze(Array.from(value as unknown[], (element, index) => check(refuse, `${name}[${index}]`, element)));
  };
}

export function checkObject(refuse: Refuse, name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(`${name} must be an object, is ${kindOf(value)}`);
  }
  return value as Record<string, unknown>;
}

export interface ReadOptions {
  /** As the object reads in messages; empty for the registration itself. */
  of?: string;
  /** What to do with a key that is not among the fields. */
  unknown(key: string): void;
  /** Old names and what they are called now. */
  renamed?: { readonly [old: string]: string };
  onRenamed?(old: string, now: string): void;
}

/** The frozen copy of `given` with the fields that are known. An absent field and one that is `undefined` are the same. */
export function readFields(
  refuse: Refuse,
  given: Record<string, unknown>,
  fields: Fields,
  { of = "", unknown, renamed = {}, onRenamed }: ReadOptions,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const now = Object.hasOwn(renamed, key) ? renamed[key]! : key;
    if (!Object.hasOwn(fields, now)) {
      unknown(key);
    } else if (given[key] !== undefined) {
      values[now] = given[key];
      if (now !== key) {
        onRenamed?.(key, now);
      }
    }
  }
  const kept: Record<string, unknown> = {};
  for (const [name, { required: isRequired, check }] of Object.entries(fields)) {
    if (Object.hasOwn(values, name) || isRequired) {
      kept[name] = check(refuse, of === "" ? name : `${of}.${name}`, values[name]);
    }
  }
  return Object.freeze(kept);
}
