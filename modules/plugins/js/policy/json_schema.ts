/** JSON Schema: made from validators, checked for what the service can carry, applied to values. */
import { Validator, type Schema } from "@cfworker/json-schema";
import { describeErrors } from "./schema_errors";
import { messageOf } from "./thrown";

export type JsonSchema = Record<string, unknown>;
export type Direction = "input" | "output";

const { parse, stringify } = JSON;
const kDialect = "draft-2020-12";

/**
 * What a validator offers as JSON Schema; undefined when it offers none or cannot describe itself. Tried in this order:
 * Standard JSON Schema, `toJSONSchema` (zod), `toJsonSchema` (arktype).
 */
export function toJsonSchema(validator: unknown, direction: Direction): JsonSchema | undefined {
  const own = validator as {
    "~standard"?: { jsonSchema?: Partial<Record<Direction, (options: object) => unknown>> };
    toJSONSchema?: (options: object) => unknown;
    toJsonSchema?: () => unknown;
  };
  const ways = [
    () => own["~standard"]?.jsonSchema?.[direction]?.({ target: kDialect }),
    () => own.toJSONSchema?.({ io: direction, target: kDialect }),
    // A date or a bigint takes no others along: where it stands, anything is offered, and the validator checks.
    () => own.toJSONSchema?.({ io: direction, target: kDialect, unrepresentable: "any" }),
    () => own.toJsonSchema?.(),
  ];
  for (const way of ways) {
    try {
      const made = way();
      if (typeof made === "object" && made !== null) {
        return parse(stringify(made)) as JsonSchema;
      }
    } catch {
      // This validator cannot say it in JSON Schema; the next way may.
    }
  }
  return undefined;
}

/**
 * Why a schema cannot be carried: a local reference that leads back into itself, that leads nowhere, or one that leaves
 * the schema. Undefined when it can.
 */
export function referenceProblem(root: unknown): string | undefined {
  const open = new Set<object>();
  const done = new Set<object>();

  function follow(reference: string): string | undefined {
    if (!reference.startsWith("#")) {
      return `the reference "${reference}" leaves the schema`;
    }
    const target = resolve(root, reference);
    if (target === undefined) {
      return `the reference "${reference}" leads nowhere`;
    }
    if (typeof target === "object" && target !== null && open.has(target)) {
      return `the reference "${reference}" is recursive`;
    }
    return visit(target);
  }

  function visit(node: unknown): string | undefined {
    if (typeof node !== "object" || node === null || done.has(node)) {
      return undefined;
    }
    open.add(node);
    const { $ref } = node as JsonSchema;
    let problem = typeof $ref === "string" ? follow($ref) : undefined;
    for (const [key, child] of Object.entries(node)) {
      if (problem !== undefined) {
        return problem;
      }
      if (!kSchemaData.has(key)) {
        problem = visit(child);
      }
    }
    open.delete(node);
    done.add(node);
    return problem;
  }

  return visit(root);
}

/** Keywords that hold values, not schemas. */
export const kSchemaData = new Set(["const", "enum", "default", "examples", "$ref"]);

function resolve(root: unknown, reference: string): unknown {
  if (reference === "#") {
    return root;
  }
  if (!reference.startsWith("#/")) {
    return findAnchor(root, reference.slice(1));
  }
  let node = root;
  for (const segment of reference.slice(2).split("/")) {
    const key = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) {
      return undefined;
    }
    node = (node as JsonSchema)[key];
  }
  return node;
}

function findAnchor(node: unknown, anchor: string): unknown {
  if (typeof node !== "object" || node === null) {
    return undefined;
  }
  if ((node as JsonSchema).$anchor === anchor) {
    return node;
  }
  for (const child of Object.values(node)) {
    const found = findAnchor(child, anchor);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Returns what is wrong with a value in words, undefined when it fits. */
export type Check = (value: unknown) => string | undefined;

/** The check of a JSON Schema whose references are sound. `schema` is copied. */
export function compileSchema(schema: JsonSchema): Check {
  const copy = parse(stringify(schema)) as Schema;
  const draft = typeof copy.$schema === "string" && copy.$schema.includes("draft-07") ? "7" : "2020-12";
  const validator = new Validator(copy, draft, false);
  return (value) => {
    try {
      const { valid, errors } = validator.validate(value);
      return valid ? undefined : describeErrors(errors, copy, value);
    } catch (failure) {
      return `the schema cannot be applied: ${messageOf(failure)}`;
    }
  };
}
