import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkName, checkObject, checkText, ignoreUnknownFields } from "../../plugins/js/policy/arguments";
import { abortError, messageOf } from "../../plugins/js/policy/thrown";
import { extend } from "../../plugins/js/namespace";
import { rememberFormCall } from "./form_calls";
import { kInstructions } from "./limits";
import { kOldNames, oldNameReporter, readPresentation, type Presentation } from "./presentation";
import { compileSchema, type JsonSchema } from "../../plugins/js/policy/json_schema";
import { isThenable } from "../../plugins/js/policy/standard_schema";
import { progressOf, type ReportProgress } from "./progress";
import { readParameters, type Parsed, type ToolParameters } from "./tool_parameters";
import { readResult } from "./tool_result";

interface ToolContext {
  readonly threadId: string | null;
  readonly projectId: string | null;
  readonly signal: AbortSignal;
  readonly experimental_progress: ReportProgress;
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
  /** Overrides of `configure`, at the start of the session and for this turn: the arguments have to fit them as well. */
  overrides?: JsonSchema[];
  /** Under which the host takes progress; absent when nobody wants it. */
  call?: number;
  /** The host's name of the call, when its caller can show forms. */
  form?: string;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
const Controller = AbortController;
const { Promise, setTimeout, clearTimeout } = globalThis;

const kMember = "agents.registerTool";
const kFields = ["name", "description", "parameters", "execute", "instructions", "presentation", ...kOldNames];

/** How long a load that ends waits for what its tools still do after their signals have aborted. */
const kToolsEnd = 2_000;
/** How long tools that do not look at their signal may take to their results when their load ends, in milliseconds. */
const kToolsGrace = 250;

/** One call of a tool. Its signal is made when somebody asks for it. */
class OpenCall {
  /** The tool has asked for the signal: it may wait for its end. */
  isWatched = false;
  private controller: AbortController | undefined;
  private ended = false;
  private readonly leave = (): void => this.abort("the caller has given up");

  constructor(
    private readonly call: HostCall,
    private readonly running: Set<OpenCall>,
    private readonly form: string | undefined,
  ) {}

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new Controller();
      if (this.form !== undefined) {
        rememberFormCall(this.controller.signal, this.form);
      }
      this.running.add(this);
      this.call.signal.addEventListener("abort", this.leave);
      if (this.call.signal.aborted) {
        this.leave();
      }
    }
    return this.controller.signal;
  }

  /** The caller still waits, as far as anybody has looked. */
  get isOpen(): boolean {
    return !this.ended && this.controller?.signal.aborted !== true;
  }

  abort(reason: string): void {
    this.controller?.abort(abortError(reason));
  }

  end(): void {
    this.ended = true;
    if (this.controller !== undefined) {
      this.call.signal.removeEventListener("abort", this.leave);
      this.running.delete(this);
    }
  }
}

/**
 * `svc.agents.registerTool`; registration "agent-tools" is the list of what agents see. The host's functions:
 * "agents.callTool" runs one call (body: the arguments; answer: "0" or "1" for isError, a line break, the content as JSON),
 * "agents.abortTools" ends all of them with the reason in its meta, and "agents.toolsOver" answers when nothing of them runs
 * any more, or after a moment. Gives a lookup of the tools' schemas.
 */
export default function toolsPart(runtime: HostRuntime, api: PluginApi): (name: string) => JsonSchema | undefined {
  const tools = new Map<string, Tool>();
  const running = new Set<OpenCall>();
  /** Why calls end at once: the load is being disposed. */
  let ending: string | undefined;
  /** What tools have promised and not settled, also of calls that are answered since. */
  let unsettled = 0;
  let allSettled: (() => void) | undefined;
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
    const parameters = readParameters(
      given.parameters,
      (problem) => api.fail(kMember, `parameters of ${what} ${problem}`),
      (lost) => api.problem("undescribed_parameters", `${kMember}: parameters of ${what} ${lost}`),
    );
    const presentation = readPresentation(api, kMember, given, what);
    ignoreUnknownFields(api.problem, kMember, given, kFields, what);
    reportOldNames(given);
    return { name, description, instructions, presentation, parameters, execute, owner: given };
  }

  function registerTool(definition: unknown): void {
    const tool = readTool(definition);
    tools.set(tool.name, tool);
    api.setRegistration("agent-tools", () =>
      [...tools.values()].map(({ name, description, instructions, presentation, parameters }) => ({
        name,
        description,
        inputSchema: parameters.schema,
        instructions,
        presentation,
      })),
    );
    runtime.callSync("tools.changed", "");
  }

  function parseArguments(tool: Tool, { overrides = [] }: ToolCall, body: string): unknown {
    const invalid = (problem: string): Error => runtime.error("invalid_input", `Invalid arguments for tool ${tool.name}: ${problem}`);
    const threw = (thrown: unknown): Error => failed(tool, `its parameters schema threw: ${messageOf(thrown)}`, thrown);
    const read = (parsed: Parsed): unknown => {
      if ("problem" in parsed) {
        throw invalid(parsed.problem);
      }
      return parsed.value;
    };
    let given: unknown;
    try {
      given = body === "" ? {} : parse(body);
    } catch (failure) {
      throw invalid(`not JSON: ${messageOf(failure)}`);
    }
    for (const override of overrides) {
      const problem = compileSchema(override)(given);
      if (problem !== undefined) {
        throw invalid(problem);
      }
    }
    let parsed;
    try {
      parsed = tool.parameters.parse(given);
    } catch (thrown) {
      throw threw(thrown);
    }
    return isThenable<Parsed>(parsed)
      ? Promise.resolve(parsed).then(read, (thrown) => {
          throw threw(thrown);
        })
      : read(parsed);
  }

  function failed(tool: Tool, reason: string, cause?: unknown): Error {
    return runtime.error("handler_error", `Tool ${tool.name} failed: ${reason}`, { cause: cause ?? new Error(reason) });
  }

  /** What `execute` returns; a throw, at once or later, names the tool. */
  function execute(tool: Tool, params: unknown, { threadId, projectId, call }: ToolCall, open: OpenCall): unknown {
    const threw = (thrown: unknown): never => {
      throw failed(tool, messageOf(thrown), thrown);
    };
    let progress: ReportProgress | undefined;
    const ctx: ToolContext = {
      threadId,
      projectId,
      get signal() {
        open.isWatched = true;
        return open.signal;
      },
      experimental_progress: (report) => {
        progress ??= progressOf(runtime, api, call, () => open.isOpen);
        progress(report);
      },
    };
    try {
      const result = tool.execute.call(tool.owner, params, ctx);
      return isThenable(result) ? Promise.resolve(result).catch(threw) : result;
    } catch (thrown) {
      return threw(thrown);
    }
  }

  /**
   * An aborted call answers at once, whatever the tool does with its signal. A tool that does not look at it may still give the result that
   * it has nearly made when its load ends: a reload in the middle of quick calls is no failure of theirs.
   */
  async function settle(tool: Tool, pending: PromiseLike<unknown>, open: OpenCall): Promise<string> {
    const { signal } = open;
    if (ending !== undefined) {
      open.abort(ending);
    }
    const abortion = (): Error => runtime.error("aborted", `Tool ${tool.name} was aborted: ${messageOf(signal.reason)}`);
    let grace: NodeJS.Timeout | undefined;
    const aborted = new Promise<never>((_, reject) => {
      const give = (): void => {
        if (ending === undefined || open.isWatched) {
          reject(abortion());
        } else {
          grace = setTimeout(() => reject(abortion()), kToolsGrace);
        }
      };
      signal.addEventListener("abort", give);
      if (signal.aborted) {
        give();
      }
    });
    aborted.catch(() => undefined);
    ++unsettled;
    const settled = (): void => {
      clearTimeout(grace);
      if (--unsettled === 0) {
        allSettled?.();
      }
    };
    Promise.resolve(pending).then(settled, settled);
    const result = Promise.resolve(pending).catch((thrown: unknown) => {
      throw signal.aborted ? abortion() : thrown;
    });
    return answerOf(tool, await Promise.race([aborted, result]));
  }

  function answerOf(tool: Tool, result: unknown): string {
    return readResult(result, (reason) => {
      throw failed(tool, reason);
    });
  }

  /** Everything stays synchronous as long as the tool does: most of the cost of a short call would be promises and a signal. */
  function callTool(tool: Tool, meta: ToolCall, body: string, call: HostCall): string | Promise<string> {
    const open = new OpenCall(call, running, meta.form);
    let pending;
    try {
      const params = parseArguments(tool, meta, body);
      const result = isThenable(params)
        ? Promise.resolve(params).then((value) => execute(tool, value, meta, open))
        : execute(tool, params, meta, open);
      if (!isThenable(result)) {
        return answerOf(tool, result);
      }
      pending = settle(tool, result, open).finally(() => open.end());
      return pending;
    } finally {
      if (pending === undefined) {
        open.end();
      }
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
    ending = reason;
    for (const open of [...running]) {
      open.abort(reason);
    }
    return undefined;
  });

  runtime.handle("agents.toolsOver", async () => {
    if (unsettled > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, kToolsEnd);
        allSettled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return undefined;
  });

  extend(api, "agents", { registerTool: api.guard(kMember, registerTool) });
  return (name) => tools.get(name)?.parameters.schema;
}
