/** Whether a JSON Schema that an author wrote by hand can be applied at all: models and clients refuse a list with one that cannot. */
import type { JsonSchema } from "./json_schema";

const kTypes = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const kSchemas = ["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedProperties"];
const kLists = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const kNamed = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const kCounts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const kNumbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

const { stringify } = JSON;

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");

function patternProblem(pattern: string): string | undefined {
  try {
    // As the check of arguments takes it.
    new RegExp(pattern, "u");
    return undefined;
  } catch (failure) {
    return failure instanceof Error ? failure.message : String(failure);
  }
}

/** What is wrong with the first member that is, such as `properties.a.pattern: …`; undefined when all can be applied. */
export function formProblem(schema: unknown, at = ""): string | undefined {
  if (typeof schema === "boolean") {
    return undefined;
  }
  const place = (key: string) => (at === "" ? key : `${at}.${key}`);
  if (!isObject(schema)) {
    return `${at}: must be a schema (an object or a boolean), is ${stringify(schema)}`;
  }
  return ownProblem(schema, place) ?? partsProblem(schema, place);
}

function ownProblem(schema: JsonSchema, place: (key: string) => string): string | undefined {
  const { type, pattern, required } = schema;
  const types = Array.isArray(type) ? type : [type];
  const unknown = type === undefined ? undefined : types.find((each) => !kTypes.has(each as string));
  if (type !== undefined && (unknown !== undefined || types.length === 0)) {
    return `${place("type")}: there is no type ${stringify(types.length === 0 ? type : unknown)}`;
  }
  if (pattern !== undefined) {
    const problem = typeof pattern === "string" ? patternProblem(pattern) : `must be text, is ${stringify(pattern)}`;
    if (problem !== undefined) {
      return `${place("pattern")}: ${problem}`;
    }
  }
  if (required !== undefined && !isTexts(required)) {
    return `${place("required")}: must be an array of names, is ${stringify(required)}`;
  }
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) {
    return `${place("enum")}: must be an array, is ${stringify(schema.enum)}`;
  }
  const count = kCounts.find((key) => schema[key] !== undefined && !(Number.isInteger(schema[key]) && (schema[key] as number) >= 0));
  const number = count ?? kNumbers.find((key) => schema[key] !== undefined && typeof schema[key] !== "number");
  return number === undefined ? undefined : `${place(number)}: must be a number, is ${stringify(schema[number])}`;
}

function partsProblem(schema: JsonSchema, place: (key: string) => string): string | undefined {
  for (const key of kNamed) {
    const parts = schema[key];
    if (parts !== undefined && !isObject(parts)) {
      return `${place(key)}: must be an object of schemas, is ${stringify(parts)}`;
    }
    for (const [name, part] of Object.entries(parts ?? {})) {
      const pattern = key === "patternProperties" ? patternProblem(name) : undefined;
      const problem = pattern === undefined ? formProblem(part, place(`${key}.${name}`)) : `${place(`${key}.${name}`)}: ${pattern}`;
      if (problem !== undefined) {
        return problem;
      }
    }
  }
  for (const key of kLists) {
    const parts = schema[key];
    if (key === "items" && !Array.isArray(parts)) {
      continue;
    }
    if (parts !== undefined && !Array.isArray(parts)) {
      return `${place(key)}: must be an array of schemas, is ${stringify(parts)}`;
    }
    for (const [index, part] of (parts ?? []).entries()) {
      const problem = formProblem(part, place(`${key}.${index}`));
      if (problem !== undefined) {
        return problem;
      }
    }
  }
  for (const key of kSchemas) {
    const part = schema[key];
    if (part !== undefined && !Array.isArray(part)) {
      const problem = formProblem(part, place(key));
      if (problem !== undefined) {
        return problem;
      }
    }
  }
  return undefined;
}
