/** `x-mcp-header` in the schema of a tool: the argument is repeated as a header, which clients of MCP over HTTP then send. */
import { kSchemaData, type JsonSchema } from "../../plugins/js/policy/json_schema";

const kAnnotation = "x-mcp-header";
/** A token of RFC 9110. */
const kName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What has one way to be written into a header. */
const kTypes = new Set<unknown>(["string", "integer", "boolean"]);
/** Keywords that hold schemas by name. */
const kNamed = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Why clients would leave the tool out of their lists; undefined when they would not. */
export function mirroringProblem(root: JsonSchema): string | undefined {
  const taken = new Set<string>();

  /** `place` is the argument that the schema is for; undefined when it is for none in particular. */
  function visit(schema: unknown, place?: string): string | undefined {
    if (Array.isArray(schema)) {
      return firstOf(schema, (each) => visit(each));
    }
    if (typeof schema !== "object" || schema === null) {
      return undefined;
    }
    const { [kAnnotation]: name, type } = schema as JsonSchema;
    return (
      (name === undefined ? undefined : judge(name, type, place)) ??
      firstOf(Object.entries(schema), ([key, child]) => {
        if (kSchemaData.has(key)) {
          return undefined;
        }
        if (!kNamed.has(key) || typeof child !== "object" || child === null) {
          return visit(child);
        }
        const reached = key === "properties" && place !== undefined;
        return firstOf(Object.entries(child), ([member, each]) =>
          visit(each, reached ? `${place}${place === "" ? "" : "."}${member}` : undefined),
        );
      })
    );
  }

  function judge(name: unknown, type: unknown, place?: string): string | undefined {
    if (place === undefined || place === "") {
      return `${kAnnotation} ${JSON.stringify(name)} is not at a property that only \`properties\` lead to`;
    }
    if (typeof name !== "string" || !kName.test(name)) {
      return `${kAnnotation} of "${place}" must be the end of a header's name such as "Region", is ${JSON.stringify(name)}`;
    }
    if (!kTypes.has(type)) {
      return `${kAnnotation} of "${place}" needs the type string, integer or boolean, not ${JSON.stringify(type) ?? "none"}`;
    }
    if (taken.has(name.toLowerCase())) {
      return `${kAnnotation} "${name}" is there twice (names of headers have no case)`;
    }
    taken.add(name.toLowerCase());
    return undefined;
  }

  return visit(root, "");
}

function firstOf<T>(list: readonly T[], problem: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const found = problem(item);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
