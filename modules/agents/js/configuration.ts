import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, kindOf } from "../../plugins/js/policy/arguments";
import type { JsonSchema } from "../../plugins/js/policy/json_schema";
import { isThenable } from "../../plugins/js/policy/standard_schema";
import { messageOf } from "../../plugins/js/policy/thrown";
import { deepFreeze } from "./deep_freeze";
import { extend } from "../../plugins/js/namespace";
import { kConfigIds, kInstructions, kParamOverride } from "./limits";
import { wideningOf } from "./narrowing";
import { plainObjectSchema } from "./tool_parameters";
import { reportUnlessServed } from "./served";

type Callback = (context: unknown) => unknown;
type Refuse = (what: string) => never;
/** The schema of an own tool; undefined when there is no such tool. */
type SchemaOf = (name: string) => JsonSchema | undefined;

interface ChosenTool {
  name: string;
  /** An override: what agents are shown, and what arguments are checked against as well. */
  inputSchema?: JsonSchema;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
const { byteLength } = Buffer;

const kConfigure = "agents.configure";
const kContribute = "agents.contributeInstructions";

/**
 * `svc.agents.configure` and `contributeInstructions`. Registration "agent-config" says which of them are there; the host's
 * functions of the same names (body: the context as JSON) run them. A callback that fails answers `handler_error`, and
 * the host then offers nothing of this plugin for the turn.
 */
export default function configurationPart(runtime: HostRuntime, api: PluginApi, schemaOf: SchemaOf): void {
  let configure: Callback | undefined;
  let contribute: Callback | undefined;

  function once(member: string, present: Callback | undefined, fn: unknown): Callback {
    const callback = checkFunction(api.fail, member, fn, "the callback") as unknown as Callback;
    if (present !== undefined) {
      api.fail(member, "is registered already; a plugin registers at most one");
    }
    return callback;
  }

  function announce(): void {
    api.setRegistration("agent-config", { configure: configure !== undefined, instructions: contribute !== undefined });
  }

  function run(member: string, callback: Callback, body: string): unknown {
    let result: unknown;
    try {
      result = callback(deepFreeze(parse(body)));
    } catch (thrown) {
      throw runtime.error("handler_error", `${member} failed: ${messageOf(thrown)}`, { cause: thrown });
    }
    if (isThenable(result)) {
      // Its failure has no one to hear it.
      result.then(undefined, () => undefined);
      throw malformed(member, "returned a promise; it must answer synchronously");
    }
    return result;
  }

  function malformed(member: string, what: string): Error {
    return runtime.error("handler_error", `${member} ${what}`, { cause: new Error(what) });
  }

  runtime.handle(kConfigure, (_meta, body) => {
    if (configure === undefined) {
      return stringify({ tools: null, skills: null, instructions: null });
    }
    return stringify(
      readConfiguration(run(kConfigure, configure, body), schemaOf, (what) => {
        throw malformed(kConfigure, what);
      }),
    );
  });

  runtime.handle(kContribute, (_meta, body) => {
    const text = contribute === undefined ? null : run(kContribute, contribute, body);
    if (text !== null && typeof text !== "string") {
      throw malformed(kContribute, `returned ${kindOf(text)}, expected a string or null`);
    }
    return stringify(text === null ? null : text.slice(0, kInstructions));
  });

  extend(api, "agents", {
    configure: api.guard(kConfigure, (fn: unknown) => {
      configure = once(kConfigure, configure, fn);
      reportUnlessServed(runtime, api, kConfigure);
      announce();
    }),
    contributeInstructions: api.guard(kContribute, (fn: unknown) => {
      contribute = once(kContribute, contribute, fn);
      reportUnlessServed(runtime, api, kContribute);
      announce();
    }),
  });
}

function readConfiguration(value: unknown, schemaOf: SchemaOf, refuse: Refuse): object {
  if (typeof value !== "object" || value === null) {
    refuse(`returned ${kindOf(value)}, expected { tools, skills, instructions? }`);
  }
  const { tools, skills, instructions } = value as Record<string, unknown>;
  if (instructions !== undefined && instructions !== null && typeof instructions !== "string") {
    refuse(`returned instructions that are ${kindOf(instructions)}, expected a string`);
  }
  const chosen = list("tools", tools, refuse).map((tool) => readChoice(tool, schemaOf, refuse));
  return {
    tools: [...new Map(chosen.map((tool) => [tool.name, tool])).values()],
    skills: list("skills", skills, refuse).map((skill) =>
      typeof skill === "string" ? skill : refuse(`returned a skill that is ${kindOf(skill)}, expected its name`),
    ),
    instructions: typeof instructions === "string" ? instructions.slice(0, kInstructions) : null,
  };
}

function list(name: string, value: unknown, refuse: Refuse): unknown[] {
  if (!Array.isArray(value)) {
    refuse(`returned ${name} that are ${kindOf(value)}, expected an array`);
  }
  const items = value as unknown[];
  if (items.length > kConfigIds) {
    refuse(`returned ${items.length} ${name}, the limit configIds is ${kConfigIds}`);
  }
  return items;
}

function readChoice(tool: unknown, schemaOf: SchemaOf, refuse: Refuse): ChosenTool {
  if (typeof tool === "string") {
    ownSchema(tool, schemaOf, refuse);
    return { name: tool };
  }
  const { name, parameters } = (typeof tool === "object" && tool !== null ? tool : {}) as Record<string, unknown>;
  if (typeof name !== "string") {
    refuse("returned a tool that is neither a name nor { name, parameters }");
  }
  const own = ownSchema(name as string, schemaOf, refuse);
  const schema = plainObjectSchema(parameters, (what) => refuse(`returned parameters of tool "${String(name)}" that ${what}`));
  const bytes = byteLength(stringify(schema));
  if (bytes > kParamOverride) {
    refuse(`returned parameters of tool "${String(name)}" with ${bytes} bytes, the limit paramOverride is ${kParamOverride}`);
  }
  const widening = wideningOf(own, schema);
  if (widening !== undefined) {
    refuse(`returned parameters of tool "${String(name)}" that allow more than the tool: it ${widening}`);
  }
  return { name: name as string, inputSchema: schema };
}

function ownSchema(name: string, schemaOf: SchemaOf, refuse: Refuse): JsonSchema {
  return schemaOf(name) ?? refuse(`chose the tool "${name}", which this plugin has not registered`);
}
