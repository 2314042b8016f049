import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkName, checkObject, checkText, ignoreUnknownFields } from "../../plugins/js/policy/arguments";
import { abortError, messageOf } from "../../plugins/js/policy/thrown";
import { extend } from "../../plugins/js/namespace";
import { kOldNames, oldNameReporter, readPresentation, type Presentation } from "./presentation";
import { readParameters, type ToolParameters } from "./tool_parameters";
import { readResult } from "./tool_result";

interface ToolContext {
  readonly threadId: string | null;
  readonly projectId: string | null;
  readonly signal: AbortSignal;
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly instructions: string | undefined;
  readonly presentation: Presentation | undefined;
  readonly parameters: ToolParameters;
  readonly execute: (params: unknown, ctx: ToolContext) => unknown;
  /** `this` of execute. */
  readonly owner: object;
}

/** Meta of a call, from the host. */
interface ToolCall {
  name: string;
  threadId: string | null;
  projectId: string | null;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
const Controller = AbortController;
const { Promise } = globalThis;

const kMember = "agents.registerTool";
/** lim.instructions, in characters. */
const kInstructions = 4096;
const kFields = ["name", "description", "parameters", "execute", "instructions", "presentation", ...kOldNames];

/**
 * `svc.agents.registerTool`; registration "agent-tools" is the list of what agents see. The host's functions:
 * "agents.callTool" runs one call (body: the arguments; answer: "0" or "1" for isError, a line break, the content as JSON)
 * and "agents.abortTools" ends all of them with the reason in its meta.
 */
export default function toolsPart(runtime: HostRuntime, api: PluginApi): void {
  const tools = new Map<string, Tool>();
  const running = new Set<AbortController>();
  const reportOldNames = oldNameReporter(api, kMember);

  function readTool(definition: unknown): Tool {
    const given = checkObject(api.fail, kMember, definition, "the tool");
    const name = checkName(api.fail, kMember, given.name);
    if (tools.has(name)) {
      api.fail(kMember, `duplicate name "${name}"`);
    }
    const what = `tool "${name}"`;
    const description = checkText(api.fail, kMember, given.description, `description of ${what}`);
    const execute = checkFunction(api.fail, kMember, given.execute, `execute of ${what}`) as Tool["execute"];
    const { instructions } = given;
    if (instructions !== undefined && typeof instructions !== "string") {
      api.fail(kMember, `instructions of ${what} must be a string`);
    }
    if (typeof instructions === "string" && instructions.length > kInstructions) {
      const length = instructions.length;
      api.fail(kMember, `instructions of ${what} have ${length} characters, the limit instructions is ${kInstructions}`);
    }
    const parameters = readParameters(given.parameters, (problem) => api.fail(kMember, `parameters of ${what} ${problem}`));
    const presentation = readPresentation(api, kMember, given, what);
    ignoreUnknownFields(api.problem, kMember, given, kFields, what);
    reportOldNames(given);
    return { name, description, instructions, presentation, parameters, execute, owner: given };
  }

  function registerTool(definition: unknown): void {
    const tool = readTool(definition);
    tools.set(tool.name, tool);
    const offered = [...tools.values()].map(({ name, description, instructions, presentation, parameters }) => ({
      name,
      description,
      inputSchema: parameters.schema,
      instructions,
      presentation,
    }));
    api.setRegistration("agent-tools", offered);
  }

  async function parseArguments(tool: Tool, body: string): Promise<unknown> {
    const invalid = (problem: string): Error => runtime.error("invalid_input", `Invalid arguments for tool ${tool.name}: ${problem}`);
    let given: unknown;
    try {
      given = body === "" ? {} : parse(body);
    } catch (failure) {
      throw invalid(`not JSON: ${messageOf(failure)}`);
    }
    let parsed;
    try {
      parsed = await tool.parameters.parse(given);
    } catch (thrown) {
      throw failed(tool, `its parameters schema threw: ${messageOf(thrown)}`, thrown);
    }
    if ("problem" in parsed) {
      throw invalid(parsed.problem);
    }
    return parsed.value;
  }

  function failed(tool: Tool, reason: string, cause?: unknown): Error {
    return runtime.error("handler_error", `Tool ${tool.name} failed: ${reason}`, { cause: cause ?? new Error(reason) });
  }

  async function execute(tool: Tool, { threadId, projectId }: ToolCall, body: string, signal: AbortSignal): Promise<string> {
    const params = await parseArguments(tool, body);
    let result: unknown;
    try {
      result = await tool.execute.call(tool.owner, params, { threadId, projectId, signal });
    } catch (thrown) {
      throw failed(tool, messageOf(thrown), thrown);
    }
    return readResult(result, (reason) => {
      throw failed(tool, reason);
    });
  }

  /** An aborted call answers at once, whatever the tool does with its signal. */
  async function callTool(tool: Tool, meta: ToolCall, body: string, call: HostCall): Promise<string> {
    const controller = new Controller();
    const { signal } = controller;
    const leave = (): void => controller.abort(abortError("the caller has given up"));
    running.add(controller);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => {
        reject(runtime.error("aborted", `Tool ${tool.name} was aborted: ${messageOf(signal.reason)}`));
      });
    });
    aborted.catch(() => undefined);
    call.signal.addEventListener("abort", leave);
    if (call.signal.aborted) {
      leave();
    }
    try {
      const result = execute(tool, meta, body, signal);
      result.catch(() => undefined);
      return await Promise.race([aborted, result]);
    } finally {
      call.signal.removeEventListener("abort", leave);
      running.delete(controller);
    }
  }

  runtime.handle("agents.callTool", (meta, body, call) => {
    const request = parse(meta) as ToolCall;
    const tool = tools.get(request.name);
    if (tool === undefined) {
      throw runtime.error("not_found", `plugin "${api.pluginId}" has no tool "${request.name}"`);
    }
    return callTool(tool, request, body, call);
  });

  runtime.handle("agents.abortTools", (reason) => {
    for (const controller of [...running]) {
      controller.abort(abortError(reason));
    }
    return undefined;
  });

  extend(api, "agents", { registerTool: api.guard(kMember, registerTool) });
}
