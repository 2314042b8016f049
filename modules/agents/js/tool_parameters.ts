/** `parameters` of a tool: a validator or a plain JSON Schema, made into what agents see and what checks arguments. */
import { kindOf } from "../../plugins/js/policy/arguments";
import { compileSchema, referenceProblem, toJsonSchema, type JsonSchema } from "../../plugins/js/policy/json_schema";
import { formProblem } from "../../plugins/js/policy/schema_form";
import { isStandardSchema, isThenable, summarize, type Outcome, type StandardSchema } from "../../plugins/js/policy/standard_schema";
import { copyJson, describeViolation } from "../../plugins/js/policy/strict_json";
import { mirroringProblem } from "./mirrored_arguments";

/** The value for `execute`, or what is wrong with the arguments. */
export type Parsed = { value: unknown } | { problem: string };

export interface ToolParameters {
  /** An object schema. */
  schema: JsonSchema;
  parse(value: unknown): Parsed | PromiseLike<Parsed>;
}

type Refuse = (what: string) => never;
type Tell = (what: string) => void;

interface SafeParser {
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: unknown };
}

const { parse, stringify } = JSON;

/** `tell` hears what agents do not get of them. */
export function readParameters(value: unknown, refuse: Refuse, tell: Tell): ToolParameters {
  if (isSafeParser(value)) {
    return { schema: schemaOf(value, refuse, tell), parse: (given) => bySafeParse(value, given) };
  }
  if (isStandardSchema(value)) {
    return { schema: schemaOf(value, refuse, tell), parse: (given) => byStandardSchema(value, given) };
  }
  return fromJsonSchema(value, refuse);
}

/** A plain JSON Schema: arguments are checked and handed over as sent. */
function fromJsonSchema(value: unknown, refuse: Refuse): ToolParameters {
  const schema = plainObjectSchema(value, refuse);
  const check = compileSchema(schema);
  return {
    schema,
    parse: (given) => {
      const problem = check(given);
      return problem === undefined ? { value: given } : { problem };
    },
  };
}

/** A JSON Schema whose root is an object, copied. */
export function plainObjectSchema(value: unknown, refuse: Refuse): JsonSchema {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse(`must be a validator with safeParse or a JSON Schema object, is ${kindOf(value)}`);
  }
  const { copy, violation } = copyJson(value);
  if (violation !== null) {
    refuse(`must be a validator with safeParse or a JSON Schema object: ${describeViolation("the schema", violation)}`);
  }
  const schema = parse(stringify(copy)) as JsonSchema;
  const problem = formProblem(schema);
  if (problem !== undefined) {
    refuse(`must be a JSON Schema that can be applied: ${problem}`);
  }
  return rooted(schema, refuse);
}

/** A validator that cannot describe itself is offered as an object of anything; it still checks. */
function schemaOf(validator: unknown, refuse: Refuse, tell: Tell): JsonSchema {
  const described = toJsonSchema(validator, "input");
  if (described !== undefined) {
    return rooted(described, refuse);
  }
  tell("cannot be described to agents: their validator has no JSON Schema of them; it still checks what they send");
  return { type: "object", additionalProperties: true };
}

/** Agents call tools with an object of named arguments. */
function rooted(schema: JsonSchema, refuse: Refuse): JsonSchema {
  const problem = referenceProblem(schema) ?? mirroringProblem(schema);
  if (problem !== undefined) {
    refuse(`cannot be offered to agents: ${problem}`);
  }
  if (schema.type !== undefined && schema.type !== "object") {
    refuse(`must describe an object, describes ${stringify(schema.type)}`);
  }
  return { ...schema, type: "object" };
}

function isSafeParser(value: unknown): value is SafeParser {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as Partial<SafeParser>).safeParse === "function"
  );
}

function bySafeParse(parser: SafeParser, given: unknown): Parsed {
  const result = parser.safeParse(given);
  if (result.success) {
    return { value: result.data };
  }
  const { issues, message } = (result.error ?? {}) as { issues?: unknown; message?: unknown };
  if (Array.isArray(issues) && issues.length > 0) {
    return { problem: summarize(issues) };
  }
  return { problem: typeof message === "string" ? message : "they do not fit the schema" };
}

function byStandardSchema(schema: StandardSchema, given: unknown): Parsed | PromiseLike<Parsed> {
  const read = (outcome: Outcome): Parsed => (outcome.issues ? { problem: summarize(outcome.issues) } : { value: outcome.value });
  const outcome = schema["~standard"].validate(given);
  return isThenable<Outcome>(outcome) ? Promise.resolve(outcome).then(read) : read(outcome);
}
