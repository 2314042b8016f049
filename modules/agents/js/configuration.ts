import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, kindOf } from "../../plugins/js/policy/arguments";
import { isThenable } from "../../plugins/js/policy/standard_schema";
import { messageOf } from "../../plugins/js/policy/thrown";
import { deepFreeze } from "./deep_freeze";
import { extend } from "../../plugins/js/namespace";
import { plainObjectSchema } from "./tool_parameters";

type Callback = (context: unknown) => unknown;
type Refuse = (what: string) => never;

interface ChosenTool {
  name: string;
  /** Narrows what the tool was registered with. */
  inputSchema?: object;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
const { byteLength } = Buffer;

const kConfigure = "agents.configure";
const kContribute = "agents.contributeInstructions";
/** lim.instructions in characters, lim.configIds, lim.paramOverride in bytes. */
const kInstructions = 4096;
const kConfigIds = 256;
const kParamOverride = 128 * 1024;

/**
 * `svc.agents.configure` and `contributeInstructions`. Registration "agent-config" says which of them are there; the host's
 * functions of the same names (body: the context as JSON) run them. A callback that fails answers `handler_error`, and
 * the host then offers nothing of this plugin for the turn.
 */
export default function configurationPart(runtime: HostRuntime, api: PluginApi): void {
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
      readConfiguration(run(kConfigure, configure, body), (what) => {
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
      announce();
    }),
    contributeInstructions: api.guard(kContribute, (fn: unknown) => {
      contribute = once(kContribute, contribute, fn);
      announce();
    }),
  });
}

function readConfiguration(value: unknown, refuse: Refuse): object {
  if (typeof value !== "object" || value === null) {
    refuse(`returned ${kindOf(value)}, expected { tools, skills, instructions? }`);
  }
  const { tools, skills, instructions } = value as Record<string, unknown>;
  if (instructions !== undefined && instructions !== null && typeof instructions !== "string") {
    refuse(`returned instructions that are ${kindOf(instructions)}, expected a string`);
  }
  return {
    tools: list("tools", tools, refuse).map((tool) => readChoice(tool, refuse)),
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

function readChoice(tool: unknown, refuse: Refuse): ChosenTool {
  if (typeof tool === "string") {
    return { name: tool };
  }
  const { name, parameters } = (typeof tool === "object" && tool !== null ? tool : {}) as Record<string, unknown>;
  if (typeof name !== "string") {
    refuse("returned a tool that is neither a name nor { name, parameters }");
  }
  const schema = plainObjectSchema(parameters, (what) => refuse(`returned parameters of tool "${String(name)}" that ${what}`));
  const bytes = byteLength(stringify(schema));
  if (bytes > kParamOverride) {
    refuse(`returned parameters of tool "${String(name)}" with ${bytes} bytes, the limit paramOverride is ${kParamOverride}`);
  }
  return { name: name as string, inputSchema: schema };
}
