import type { Fail, Report } from "./arguments";
import { checkFunction, checkName, checkObject, checkText, ignoreUnknownFields, kindOf } from "./arguments";

/** What may be declared as a setting and which values it takes. Pure: the server and the test host share it. */

const { stringify } = JSON;
const { byteLength } = Buffer;
const bufferFrom = Buffer.from;

export type SettingType = "string" | "boolean" | "select" | "number" | "project";

/** A checked descriptor. */
export interface SettingDescriptor {
  readonly type: SettingType;
  readonly label: string;
  readonly description: string | undefined;
  /** undefined = none. */
  readonly default: unknown;
  readonly secret: boolean;
  readonly multiline: boolean;
  readonly options: readonly string[] | undefined;
  /** The check of `experimental_schema`; null when the value passes, else what is wrong with it. */
  readonly schemaIssue: (value: unknown) => string | null;
}

/** What a client may see of a descriptor. */
export interface ShownDescriptor {
  type: SettingType;
  label: string;
  description?: string;
  default?: unknown;
  secret?: true;
  experimental_multiline?: true;
  options?: readonly string[];
}

const OWN_FIELDS: Readonly<Record<SettingType, readonly string[]>> = {
  string: ["secret", "experimental_multiline"],
  boolean: [],
  select: ["options"],
  number: [],
  project: [],
};
const COMMON_FIELDS = ["type", "label", "description", "default", "experimental_schema"];
const RENAMED = { multiline: "experimental_multiline", schema: "experimental_schema", title: "label", enum: "options" };

/** Throws `TypeError("<member>: "<key>": …")` for a descriptor that cannot be used. */
export function checkDescriptors(
  fail: Fail,
  report: Report,
  member: string,
  given: unknown,
  sizeLimit: number,
): Map<string, SettingDescriptor> {
  const out = new Map<string, SettingDescriptor>();
  const descriptors = checkObject(fail, member, given, "the descriptors");
  for (const key of Object.keys(descriptors)) {
    checkName(fail, member, key, "the key");
    out.set(key, checkDescriptor(fail, report, member, key, descriptors[key], sizeLimit));
  }
  return out;
}

function checkDescriptor(fail: Fail, report: Report, member: string, key: string, given: unknown, sizeLimit: number): SettingDescriptor {
  const what = `the descriptor of "${key}"`;
  const refuse = (why: string): never => fail(member, `${what}: ${why}`);
  const fields = checkObject(fail, member, given, what);
  const type = checkType(refuse, fields.type);
  for (const text of ["label", "description"]) {
    if (fields[text] !== undefined) {
      checkText(fail, member, fields[text], `${what}: ${text}`);
    }
  }
  const secret = checkFlag(refuse, "secret", fields.secret);
  const multiline = type === "string" && checkFlag(refuse, "experimental_multiline", fields.experimental_multiline);
  // Ignoring it would show to every client what the author wants hidden.
  if (secret && type !== "string") {
    refuse(`only a setting of type "string" can be secret, this one is "${type}"`);
  }
  if (secret && multiline) {
    refuse("experimental_multiline cannot be combined with secret");
  }
  const descriptor: SettingDescriptor = {
    type,
    label: (fields.label as string | undefined) ?? words(key),
    description: fields.description as string | undefined,
    default: fields.default,
    secret,
    multiline,
    options: type === "select" ? checkOptions(refuse, fields.options) : undefined,
    schemaIssue: schemaCheck(fail, member, what, fields.experimental_schema),
  };
  if (descriptor.default !== undefined) {
    const issue = valueIssue(descriptor, descriptor.default, sizeLimit);
    if (issue !== null) {
      refuse(`the default is not valid: ${issue}`);
    }
  }
  ignoreUnknownFields(report, member, fields, [...COMMON_FIELDS, ...OWN_FIELDS[type]], what, RENAMED);
  return descriptor;
}

function checkType(refuse: (why: string) => never, type: unknown): SettingType {
  const types = Object.keys(OWN_FIELDS);
  if (typeof type !== "string" || !types.includes(type)) {
    const shown = typeof type === "string" ? `"${type}"` : kindOf(type);
    refuse(`the type must be one of ${types.join(", ")}, is ${shown}`);
  }
  return type as SettingType;
}

function checkFlag(refuse: (why: string) => never, name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== "boolean") {
    refuse(`${name} must be true or false, is ${kindOf(value)}`);
  }
  return value === true;
}

function checkOptions(refuse: (why: string) => never, given: unknown): readonly string[] {
  const options = Array.isArray(given) ? Array.from(given as unknown[]) : [];
  if (options.length === 0 || !options.every((option) => typeof option === "string" && option !== "")) {
    refuse("options must be an array of at least one non-empty string");
  }
  if (new Set(options).size !== options.length) {
    refuse("options must be unique");
  }
  return options as string[];
}

type Validate = (value: unknown) => unknown;

function schemaCheck(fail: Fail, member: string, what: string, schema: unknown): SettingDescriptor["schemaIssue"] {
  if (schema === undefined) {
    return () => null;
  }
  const standard = (schema as { "~standard"?: { validate?: unknown } } | null)?.["~standard"];
  if (standard === undefined || standard === null) {
    fail(member, `${what}: experimental_schema must be a Standard Schema, is ${kindOf(schema)}`);
  }
  checkFunction(fail, member, standard!.validate, `${what}: experimental_schema["~standard"].validate`);
  return (value) => {
    try {
      return outcomeIssue((standard!.validate as Validate).call(standard, value), value);
    } catch (error) {
      return `experimental_schema failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
}

function outcomeIssue(given: unknown, value: unknown): string | null {
  const outcome = given as { then?: unknown; issues?: readonly { message?: unknown }[]; value?: unknown };
  if (typeof outcome !== "object" || outcome === null) {
    return "experimental_schema gave no result";
  }
  if (typeof outcome.then === "function") {
    // Its late failure must not count as one of the plugin.
    void Promise.resolve(given).catch(() => undefined);
    return "experimental_schema must be synchronous, it returned a promise";
  }
  if (outcome.issues !== undefined) {
    return String(outcome.issues[0]?.message ?? "not valid");
  }
  return Object.is(outcome.value, value) ? null : "experimental_schema must return the value unchanged";
}

/** Whether there is such a project is seen when it is used: projects come and go. */
const kProjectId = /^proj_[0-9a-z]+$/;

/** Null when the value fits the descriptor, else one sentence. */
export function valueIssue(descriptor: SettingDescriptor, value: unknown, sizeLimit: number): string | null {
  return typeIssue(descriptor, value) ?? sizeIssue(value, sizeLimit) ?? descriptor.schemaIssue(value);
}

function typeIssue({ type, options }: SettingDescriptor, value: unknown): string | null {
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? null : `Expected true or false, got ${kindOf(value)}`;
    case "number":
      return Number.isFinite(value) ? null : `Expected a finite number, got ${typeof value === "number" ? value : kindOf(value)}`;
    case "select":
      return options!.includes(value as string) ? null : `Expected one of ${options!.map((option) => stringify(option)).join(", ")}`;
    default:
      if (typeof value !== "string") {
        return `Expected a string, got ${kindOf(value)}`;
      }
      if (type === "project" && !kProjectId.test(value)) {
        return "Expected the id of a project (proj_…); `svc project list` shows them";
      }
      return bufferFrom(value).toString() === value ? null : "Expected well-formed Unicode text";
  }
}

function sizeIssue(value: unknown, limit: number): string | null {
  const bytes = byteLength(stringify(value));
  return bytes <= limit ? null : `The value has ${bytes} bytes as JSON, the limit settingValue is ${limit}`;
}

/** Without the default of a secret, and without the schema. */
export function shownDescriptor(descriptor: SettingDescriptor): ShownDescriptor {
  const { type, label, description, secret, multiline, options } = descriptor;
  return {
    type,
    label,
    ...(description !== undefined && { description }),
    ...(descriptor.default !== undefined && !secret && { default: descriptor.default }),
    ...(secret && { secret: true as const }),
    ...(multiline && { experimental_multiline: true as const }),
    ...(options !== undefined && { options }),
  };
}

/** "apiKey" and "api-key" read "api key". */
function words(key: string): string {
  const text = key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[-_]+/g, " ")
    .trim();
  return text === "" ? key : text.toLowerCase();
}
