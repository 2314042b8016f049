import {
  anything,
  callback,
  checkObject,
  component,
  flagOrFunction,
  icon,
  id,
  kindOf,
  oneOf,
  optional,
  readFields,
  refuser,
  required,
  text,
  type Field,
  type Fields,
} from "./checks.js";

const kKind = "composer.customize";
const kScopes = ["thread", "queued-message", "new-thread"];
/** Accepted, and no such composer exists. */
const kUnsupportedScopes = ["side-chat"];
const kUnsupportedFields = ["sendMenu", "experimental_popups"];

const kEntries: { readonly [list: string]: Fields } = {
  actions: { id: required(id), component: required(component) },
  banners: { id: required(id), chrome: optional(oneOf("card", "bare")), component: required(component) },
  plusMenu: {
    id: required(id),
    label: required(text),
    icon: optional(icon),
    description: optional(text),
    disabled: optional(flagOrFunction),
    run: required(callback),
  },
};
const kEffect: Fields = { id: required(id), match: required(callback), className: required(text) };

const kept = optional(anything);
const kFields: Fields = {
  scopes: kept,
  actions: kept,
  banners: kept,
  plusMenu: kept,
  richText: kept,
  sendMenu: kept,
  experimental_popups: kept,
};

export interface CustomizationReport {
  warn(message: string): void;
  unsupported(name: string): void;
}

/**
 * The one registration that is taken in part: what is bad in it is dropped with a warning and the rest stays. Null when
 * nothing of it can be used. `taken` holds the ids before it.
 */
export function readCustomization(given: unknown, taken: Set<string>, report: CustomizationReport): Record<string, unknown> | null {
  const drop = (what: unknown): null => {
    report.warn(`${what instanceof Error ? what.message : String(what)}; the customization is dropped`);
    return null;
  };
  let own: Record<string, unknown>;
  let name: string;
  try {
    own = checkObject(refuser(kKind), "the customization", given);
    name = id(refuser(kKind), "id", own.id) as string;
  } catch (failure) {
    return drop(failure);
  }
  if (taken.has(name)) {
    return drop(`${kKind}: duplicate id "${name}"`);
  }
  taken.add(name);
  const { id: _id, ...rest } = own;
  const fields = readFields(refuser(kKind), rest, kFields, {
    unknown: (key) => report.warn(`${kKind}: "${name}" has the unknown field "${key}", which is ignored`),
  });
  for (const field of kUnsupportedFields) {
    if (fields[field] !== undefined) {
      report.unsupported(`composer.${field}`);
    }
  }
  const result: Record<string, unknown> = { id: name, scopes: readScopes(name, fields.scopes, report) };
  for (const [list, entryFields] of Object.entries(kEntries)) {
    result[list] = readEntries(`"${name}", ${list}`, fields[list], entryFields, report);
  }
  for (const banner of result.banners as Record<string, unknown>[]) {
    banner.chrome ??= "card";
  }
  result.richText = readRichText(name, fields.richText, report);
  return Object.freeze(result);
}

function readScopes(name: string, given: unknown, report: CustomizationReport): string[] {
  if (given === undefined) {
    return [...kScopes];
  }
  if (!Array.isArray(given)) {
    report.warn(`${kKind}: scopes of "${name}" must be an array, is ${kindOf(given)}; all scopes are taken`);
    return [...kScopes];
  }
  return given.filter((scope: unknown): scope is string => {
    if (kScopes.includes(scope as string)) {
      return true;
    }
    if (kUnsupportedScopes.includes(scope as string)) {
      report.unsupported(`composer.scopes.${String(scope)}`);
    } else {
      const shown = typeof scope === "string" ? `"${scope}"` : kindOf(scope);
      report.warn(`${kKind}: "${name}" has the unknown scope ${shown}, which is ignored`);
    }
    return false;
  });
}

function readEntries(
  where: string,
  given: unknown,
  fields: { readonly [name: string]: Field },
  report: CustomizationReport,
): Record<string, unknown>[] {
  if (given === undefined) {
    return [];
  }
  if (!Array.isArray(given)) {
    report.warn(`${kKind}: ${where} must be an array, is ${kindOf(given)}; it is dropped`);
    return [];
  }
  const seen = new Set<unknown>();
  return Array.from(given as unknown[]).flatMap((entry, index) => {
    const refuse = refuser(`${kKind}: ${where}[${index}]`);
    try {
      const values = readFields(refuse, checkObject(refuse, "the entry", entry), fields, {
        unknown: (key) => report.warn(`${kKind}: ${where}[${index}] has the unknown field "${key}", which is ignored`),
      });
      if (seen.has(values.id)) {
        refuse(`duplicate id "${String(values.id)}"`);
      }
      seen.add(values.id);
      return [{ ...values }];
    } catch (failure) {
      report.warn(`${(failure as Error).message}; the entry is dropped`);
      return [];
    }
  });
}

function readRichText(name: string, given: unknown, report: CustomizationReport): object {
  if (given === undefined) {
    return { effects: [] };
  }
  if (typeof given !== "object" || given === null) {
    report.warn(`${kKind}: richText of "${name}" must be an object, is ${kindOf(given)}; it is dropped`);
    return { effects: [] };
  }
  const { effects, onDraftChange } = given as Record<string, unknown>;
  const result: Record<string, unknown> = { effects: readEntries(`"${name}", richText.effects`, effects, kEffect, report) };
  if (typeof onDraftChange === "function") {
    result.onDraftChange = onDraftChange;
  } else if (onDraftChange !== undefined) {
    report.warn(`${kKind}: richText.onDraftChange of "${name}" must be a function, is ${kindOf(onDraftChange)}; it is dropped`);
  }
  return Object.freeze(result);
}
