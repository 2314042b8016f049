/** What is wrong with a value that does not fit its JSON Schema: the place, what must be there and what is. */
import type { OutputUnit } from "@cfworker/json-schema";

type Json = Record<string, unknown>;

const { stringify } = JSON;
const decode = decodeURI;

const kShown = 3;
const kFound = 60;

/** The first problems, in words. `schema` and `value` are those of the check. */
export function describeErrors(errors: readonly OutputUnit[], schema: unknown, value: unknown): string {
  const told = [...new Set(problemsOf(errors, schema, value))];
  const more = told.length - kShown;
  return told.slice(0, kShown).join("; ") + (more > 0 ? ` (and ${more} more)` : "");
}

/** Say only that something inside is wrong; the unit of the inside says what. */
const kContainers = new Set([
  "properties",
  "items",
  "prefixItems",
  "$ref",
  "$dynamicRef",
  "allOf",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "if",
]);
const kAlternatives = new Set(["anyOf", "oneOf"]);

function problemsOf(errors: readonly OutputUnit[], schema: unknown, value: unknown): string[] {
  const choices = errors.filter((unit) => kAlternatives.has(unit.keyword));
  const inside = (unit: OutputUnit, of: OutputUnit): boolean => unit !== of && unit.keywordLocation.startsWith(`${of.keywordLocation}/`);
  const all = errors.filter((unit) => !kContainers.has(unit.keyword) && !choices.some((choice) => inside(unit, choice)));
  // What does not fit is not evaluated either, and would be said not to be there at all.
  const isWrongWithin = ({ instanceLocation }: OutputUnit): boolean =>
    all.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`));
  const leaves = all.filter((unit) => unit.keyword !== "false" || !isWrongWithin(unit));
  return (leaves.length > 0 ? leaves : errors).flatMap((unit) => {
    const found = at(value, unit.instanceLocation);
    if (unit.keyword === "required") {
      return missingOf(unit, schema, found);
    }
    if (unit.keyword === "false") {
      return [placed(pathOf(unit.instanceLocation), `must not be there, is ${shown(found)}`)];
    }
    const within = errors.filter((each) => inside(each, unit) && !kContainers.has(each.keyword) && !kAlternatives.has(each.keyword));
    const wanted = kAlternatives.has(unit.keyword) && within.length > 0 ? oneOfThese(unit, within, schema) : wantedBy(unit, schema);
    return [placed(pathOf(unit.instanceLocation), wanted === undefined ? unit.error : `must be ${wanted}, is ${shown(found)}`)];
  });
}

/** What the alternatives ask for; of parts of the value with their place below it. */
function oneOfThese(choice: OutputUnit, within: readonly OutputUnit[], schema: unknown): string {
  const wishes = within.map((unit) => {
    const place = pathOf(unit.instanceLocation.slice(choice.instanceLocation.length));
    if (unit.keyword === "required") {
      return `an object with ${requiredBy(unit, schema).join(", ")}`;
    }
    const wanted = wantedBy(unit, schema) ?? unit.error;
    return place === "" ? wanted : `with ${place} ${wanted}`;
  });
  return [...new Set(wishes)].join(" or ");
}

function requiredBy(unit: OutputUnit, schema: unknown): string[] {
  const names = keywordAt(schema, unit.keywordLocation);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

function missingOf(unit: OutputUnit, schema: unknown, found: unknown): string[] {
  const has = (name: string): boolean => typeof found === "object" && found !== null && Object.hasOwn(found, name);
  const missing = requiredBy(unit, schema).filter((name) => !has(name));
  const path = pathOf(unit.instanceLocation);
  return missing.length === 0
    ? [placed(path, unit.error)]
    : missing.map((name) => placed(path === "" ? name : `${path}.${name}`, "is required, and missing"));
}

/** What the keyword asks for, to stand behind "must be"; undefined when it has no words of its own. */
function wantedBy(unit: OutputUnit, schema: unknown): string | undefined {
  const asked = keywordAt(schema, unit.keywordLocation);
  const number = typeof asked === "number" ? asked : undefined;
  const many = (what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
  switch (unit.keyword) {
    case "type":
      return asked === undefined ? undefined : Array.isArray(asked) ? asked.map(named).join(" or ") : named(asked);
    case "enum":
      return Array.isArray(asked) ? `one of ${asked.map(shown).join(", ")}` : undefined;
    case "const":
      return asked === undefined ? undefined : shown(asked);
    case "pattern":
      return typeof asked === "string" ? `text that matches /${asked}/` : undefined;
    case "format":
      return typeof asked === "string" ? `text of the format ${asked}` : undefined;
    case "uniqueItems":
      return "an array without equal items";
    default:
  }
  if (number === undefined) {
    return undefined;
  }
  const words: Record<string, string> = {
    minimum: `at least ${number}`,
    maximum: `at most ${number}`,
    exclusiveMinimum: `more than ${number}`,
    exclusiveMaximum: `less than ${number}`,
    multipleOf: `a multiple of ${number}`,
    minLength: `at least ${many("character")} long`,
    maxLength: `at most ${many("character")} long`,
    minItems: `an array of at least ${many("item")}`,
    maxItems: `an array of at most ${many("item")}`,
    minProperties: `an object of at least ${many("member")}`,
    maxProperties: `an object of at most ${many("member")}`,
  };
  return words[unit.keyword];
}

function named(type: unknown): string {
  return type === "null" ? "null" : `${/^[aio]/.test(String(type)) ? "an" : "a"} ${String(type)}`;
}

/** A value as it is, cut when it is long. */
function shown(value: unknown): string {
  if (value === undefined) {
    return "nothing";
  }
  const text = stringify(value);
  return text.length <= kFound ? text : `${text.slice(0, kFound)}…`;
}

function placed(path: string, problem: string): string {
  return path === "" ? problem : `${path}: ${problem}`;
}

function segments(pointer: string): string[] {
  const path = pointer.replace(/^#?\/?/, "");
  return path === "" ? [] : path.split("/").map((segment) => decode(segment).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function pathOf(pointer: string): string {
  return segments(pointer).join(".");
}

function step(node: unknown, key: string): unknown {
  return typeof node === "object" && node !== null && Object.hasOwn(node, key) ? (node as Json)[key] : undefined;
}

function at(root: unknown, pointer: string): unknown {
  return segments(pointer).reduce(step, root);
}

/** What a reference within the schema names: a place, or an anchor. */
function referred(schema: unknown, reference: string): unknown {
  if (!/^#[^/]/.test(reference)) {
    return at(schema, reference);
  }
  const name = decode(reference.slice(1));
  const find = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) {
      return undefined;
    }
    const { $anchor, $dynamicAnchor } = node as Json;
    return $anchor === name || $dynamicAnchor === name
      ? node
      : Object.values(node)
          .map(find)
          .find((found) => found !== undefined);
  };
  return find(schema);
}

/** The value of a keyword; the way to it may lead through references. */
function keywordAt(schema: unknown, pointer: string): unknown {
  let node: unknown = schema;
  for (const segment of segments(pointer)) {
    const next = step(node, segment);
    node = segment === "$ref" && typeof next === "string" ? referred(schema, next) : next;
  }
  return node;
}
