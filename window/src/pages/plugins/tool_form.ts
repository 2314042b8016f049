import { ownMember } from "@/lib/own";

/** The arguments of a tool as fields, made from its JSON Schema. */

export type Schema = Readonly<Record<string, unknown>>;

export interface ToolField {
  name: string;
  kind: "text" | "number" | "switch" | "choice" | "json";
  isRequired: boolean;
  description: string;
  /** Of a choice. */
  options: readonly string[];
}

/** What a person has put in, by name of the field; a field that was left alone is not there. */
export type FieldValues = Readonly<Record<string, string | boolean>>;

/** What somebody has put in as a value, or why it is none. */
export type ReadInput = { value: unknown } | { problem: string };

/** Null when the schema does not say which properties there are: then the arguments are written as JSON. */
export function fieldsOf(schema: Schema): ToolField[] | null {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) {
    return Object.keys(schema).every((key) => ["type", "$schema", "additionalProperties", "title", "description"].includes(key)) &&
      schema.additionalProperties === false
      ? []
      : null;
  }
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  return Object.entries(properties as Record<string, unknown>).map(([name, property]) => {
    const about = (typeof property === "object" && property !== null ? property : {}) as Schema;
    return {
      name,
      kind: kindOf(about),
      isRequired: required.includes(name),
      description: typeof about.description === "string" ? about.description : "",
      options: optionsOf(about) ?? [],
    };
  });
}

function kindOf(schema: Schema): ToolField["kind"] {
  if (optionsOf(schema) !== undefined) {
    return "choice";
  }
  switch (schema.type) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "switch";
    default:
      return "json";
  }
}

function optionsOf(schema: Schema): string[] | undefined {
  const values = schema.enum;
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : undefined;
}

/** The arguments that the fields stand for, or which field cannot be read. */
export function argumentsOf(fields: readonly ToolField[], values: FieldValues): { value: Record<string, unknown> } | { problem: string } {
  const read = new Map<string, unknown>();
  for (const { name, kind } of fields) {
    const given = ownMember(values, name);
    if (given === undefined || given === "") {
      continue;
    }
    if (kind === "number" || kind === "json") {
      const json = readJson(String(given));
      if (json === undefined || (kind === "number" && typeof json.value !== "number")) {
        return { problem: `${name} is not ${kind === "number" ? "a number" : "JSON"}.` };
      }
      read.set(name, json.value);
    } else {
      read.set(name, given);
    }
  }
  return { value: Object.fromEntries(read) };
}

/** The arguments as somebody wrote them; an empty text is no arguments. */
export function readArguments(text: string): ReadInput {
  const read = text.trim() === "" ? { value: {} } : readJson(text);
  if (read === undefined) {
    return { problem: "The arguments are not JSON." };
  }
  return typeof read.value === "object" && read.value !== null && !Array.isArray(read.value)
    ? read
    : { problem: "The arguments must be a JSON object." };
}

/** Any JSON; an empty text is null, which is no input. */
export function readAnyJson(text: string): ReadInput {
  return text.trim() === "" ? { value: null } : (readJson(text) ?? { problem: "The input is not JSON." });
}

function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
