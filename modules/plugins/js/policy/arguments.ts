/** What registrations share: how a name, an object and a text are checked, and with which words they are refused. */

/** Throws `TypeError("<member>: <what>")`; the `fail` of PluginApi. */
export type Fail = (member: string, what: string) => never;
/** Reports a field that this version does not have; the `problem` of PluginApi. */
export type Report = (code: string, message: string) => void;

const NAME = /^[a-zA-Z0-9_-]+$/;

/** What a value is called in a message: "null", "an array", "a string", … */
export function kindOf(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "an array";
  }
  if (value === undefined) {
    return "undefined";
  }
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A name of a registration (`^[a-zA-Z0-9_-]+$`). */
export function checkName(fail: Fail, member: string, value: unknown, what = "the name"): string {
  if (typeof value !== "string") {
    fail(member, `${what} must be a string, is ${kindOf(value)}`);
  }
  if (!NAME.test(value as string)) {
    fail(member, `${what} "${value as string}" must be one or more letters, digits, "-" and "_"`);
  }
  return value as string;
}

export function checkObject(fail: Fail, member: string, value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    fail(member, `${what} must be an object, is ${kindOf(value)}`);
  }
  return value as Record<string, unknown>;
}

export function checkFunction(fail: Fail, member: string, value: unknown, what: string): (...args: never[]) => unknown {
  if (typeof value !== "function") {
    fail(member, `${what} must be a function, is ${kindOf(value)}`);
  }
  return value as (...args: never[]) => unknown;
}

/** Text that is not blank. */
export function checkText(fail: Fail, member: string, value: unknown, what: string): string {
  if (typeof value !== "string" || value.trim() === "") {
    fail(member, `${what} must be non-blank text`);
  }
  return value as string;
}

/**
 * Fields this version does not have are ignored, never refused: one warning in the log and one entry in `problems[]`.
 * `renamed` maps an old name to the one that replaced it.
 */
export function ignoreUnknownFields(
  report: Report,
  member: string,
  value: object,
  known: readonly string[],
  what: string,
  renamed: Readonly<Record<string, string>> = {},
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) {
      continue;
    }
    const hint = Object.hasOwn(renamed, key) ? `; use "${renamed[key]}"` : "";
    report("unknown_field", `${member}: ${what} has the unknown field "${key}", which is ignored${hint}`);
  }
}
