/** What `configure` may do to the parameters of a tool: allow less of them, never more. */
import type { JsonSchema } from "../../plugins/js/policy/json_schema";

const { stringify } = JSON;

/** Keywords whose greater value allows more, and those whose smaller value does. */
const kUpper = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const kLower = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];

/**
 * How `override` plainly allows more than `own`; undefined when it does not. Agents are shown the override alone and calls are checked
 * against both, so what this cannot judge narrows all the same; it is here to tell authors of a mistake.
 */
export function wideningOf(own: JsonSchema, override: JsonSchema, path = "the arguments"): string | undefined {
  return (
    typeWidening(own, override, path) ??
    valueWidening(own, override, path) ??
    boundWidening(own, override, path) ??
    propertyWidening(own, override, path)
  );
}

function typeWidening(own: JsonSchema, override: JsonSchema, path: string): string | undefined {
  const allowed = typesOf(own);
  const isAllowed = (type: string): boolean => allowed.includes(type) || (type === "integer" && allowed.includes("number"));
  const wider = allowed.length === 0 ? undefined : typesOf(override).find((type) => !isAllowed(type));
  return wider === undefined ? undefined : `allows ${path} to be ${wider}, the tool takes ${allowed.join(" or ")}`;
}

function valueWidening(own: JsonSchema, override: JsonSchema, path: string): string | undefined {
  const allowed = valuesOf(own);
  const wider = allowed === undefined ? undefined : valuesOf(override)?.find((value) => !allowed.includes(value));
  return wider === undefined ? undefined : `allows ${path} to be ${wider}, which the tool does not take`;
}

function boundWidening(own: JsonSchema, override: JsonSchema, path: string): string | undefined {
  const isWider = (keyword: string, sign: 1 | -1): boolean => {
    const was = own[keyword];
    const is = override[keyword];
    return typeof was === "number" && typeof is === "number" && (is - was) * sign > 0;
  };
  const keyword = kUpper.find((each) => isWider(each, 1)) ?? kLower.find((each) => isWider(each, -1));
  return keyword === undefined
    ? undefined
    : `has ${keyword} ${String(override[keyword])} for ${path}, the tool has ${String(own[keyword])}`;
}

function propertyWidening(own: JsonSchema, override: JsonSchema, path: string): string | undefined {
  const before = isObject(own.properties) ? own.properties : {};
  for (const [name, property] of Object.entries(isObject(override.properties) ? override.properties : {})) {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    if (known === undefined && own.additionalProperties === false) {
      return `adds "${name}" to ${path}, which the tool does not take`;
    }
    const problem = isObject(known) && isObject(property) ? wideningOf(known, property, `"${name}"`) : undefined;
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function typesOf({ type }: JsonSchema): string[] {
  if (typeof type === "string") {
    return [type];
  }
  return Array.isArray(type) ? type.filter((each) => typeof each === "string") : [];
}

/** As JSON text, so that they can be compared. */
function valuesOf(schema: JsonSchema): string[] | undefined {
  if (Object.hasOwn(schema, "const")) {
    return [stringify(schema.const)];
  }
  return Array.isArray(schema.enum) ? schema.enum.map((value) => stringify(value)) : undefined;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
