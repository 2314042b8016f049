import type { HostCall, HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { ignoreUnknownFields } from "../../plugins/js/policy/arguments";

interface CommandInfo {
  name: string;
  summary: string;
  usage: string;
}

interface CliContext {
  readonly cwd?: string;
  readonly threadId?: string;
  readonly projectId?: string;
  readonly signal: AbortSignal;
}

interface Registration {
  readonly name: string;
  readonly run: (argv: string[], ctx: CliContext) => unknown;
  /** `this` of run. */
  readonly owner: object;
}

/** The validated body of the CLI route. */
interface CliRequest {
  argv: string[];
  cwd?: string;
  threadId?: string;
  projectId?: string;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
const { byteLength } = Buffer;

const kMember = "cli.register";
const kWord = /^[a-z0-9-]+$/;
const kWords = /^[a-z0-9-]+( [a-z0-9-]+)*$/;
/** lim.cliOutput: UTF-8 bytes of stdout and stderr together. */
const kCliOutput = 1_048_576;

/** `svc.cli`, and the host's function "cli": body is the request of the route, the answer its result members. */
export default function cliPart(runtime: HostRuntime, api: PluginApi): void {
  let registered: Registration | undefined;

  function readCommand(entry: unknown, index: number): CommandInfo {
    if (typeof entry !== "object" || entry === null) {
      api.fail(kMember, `commands[${index}] must be an object { name, summary, usage }`);
    }
    const { name, summary, usage } = entry as Record<string, unknown>;
    if (typeof name !== "string" || !kWords.test(name)) {
      api.fail(kMember, `commands[${index}].name must be words of a-z, 0-9 and "-" separated by single spaces`);
    }
    if (typeof summary !== "string") {
      api.fail(kMember, `commands[${index}].summary must be a string`);
    }
    if (typeof usage !== "string") {
      api.fail(kMember, `commands[${index}].usage must be a string`);
    }
    ignoreUnknownFields(api.problem, kMember, entry, ["name", "summary", "usage"], `commands[${index}]`);
    return { name, summary, usage };
  }

  function readCommands(commands: unknown): CommandInfo[] {
    if (commands === undefined) {
      return [];
    }
    if (!Array.isArray(commands)) {
      api.fail(kMember, "commands must be an array");
    }
    return commands.map(readCommand);
  }

  function register(registration: unknown): void {
    if (typeof registration !== "object" || registration === null) {
      api.fail(kMember, "the registration must be an object { name, commands, run }");
    }
    const { name, summary, commands, run, rendersHelp } = registration as Record<string, unknown>;
    if (typeof name !== "string" || !kWord.test(name)) {
      api.fail(kMember, 'name must be one word of a-z, 0-9 and "-"');
    }
    if (registered !== undefined) {
      api.fail(kMember, `duplicate name "${name}": a plugin registers one command, and "${registered.name}" is registered`);
    }
    if (summary !== undefined && (typeof summary !== "string" || summary.trim() === "")) {
      api.fail(kMember, "summary must be a non-blank string when given");
    }
    if (typeof run !== "function") {
      api.fail(kMember, "run must be a function");
    }
    if (rendersHelp !== undefined && typeof rendersHelp !== "boolean") {
      api.fail(kMember, "rendersHelp must be a boolean");
    }
    const metadata = { name, summary, commands: readCommands(commands), rendersHelp: rendersHelp === true };
    ignoreUnknownFields(api.problem, kMember, registration, ["name", "summary", "commands", "run", "rendersHelp"], "the registration");
    registered = { name, run: run as Registration["run"], owner: registration };
    runtime.callSync("cli.registered", stringify(metadata));
  }

  function failed(name: string, reason: string, cause?: unknown): Error {
    return runtime.error("handler_error", `svc ${name} failed: ${reason}`, { cause });
  }

  function outputText(name: string, stream: "stdout" | "stderr", value: unknown): string {
    if (value === undefined) {
      return "";
    }
    if (typeof value !== "string") {
      throw failed(name, `run returned a ${stream} that is not a string`);
    }
    return value;
  }

  function answer(name: string, result: unknown): string {
    if (typeof result !== "object" || result === null) {
      throw failed(name, "run returned no result object { exitCode, stdout?, stderr? }");
    }
    const { exitCode } = result as Record<string, unknown>;
    if (typeof exitCode !== "number" || !Number.isInteger(exitCode) || exitCode < 0 || exitCode > 255) {
      throw failed(name, `run returned the exitCode ${describe(exitCode)}, expected an integer from 0 to 255`);
    }
    const stdout = outputText(name, "stdout", (result as Record<string, unknown>).stdout);
    const stderr = outputText(name, "stderr", (result as Record<string, unknown>).stderr);
    const stdoutBytes = byteLength(stdout);
    const stderrBytes = byteLength(stderr);
    const totalBytes = stdoutBytes + stderrBytes;
    if (totalBytes > kCliOutput) {
      throw runtime.error(
        "plugin_cli_output_too_large",
        `svc ${name} wrote ${totalBytes} bytes of output, the limit cliOutput is ${kCliOutput}`,
        { details: { maxBytes: kCliOutput, stdoutBytes, stderrBytes, totalBytes, exitCode } },
      );
    }
    return stringify({ exitCode, stdout, stderr });
  }

  async function runCommand({ name, run, owner }: Registration, request: CliRequest, call: HostCall): Promise<string> {
    const ctx: CliContext = {
      cwd: request.cwd,
      threadId: request.threadId,
      projectId: request.projectId,
      get signal() {
        return call.signal;
      },
    };
    let result: unknown;
    try {
      result = await run.call(owner, request.argv, ctx);
    } catch (thrown) {
      throw failed(name, describe(thrown), thrown);
    }
    return answer(name, result);
  }

  runtime.handle("cli", (_meta, body, call) => {
    if (registered === undefined) {
      throw runtime.error("unknown_command", `plugin "${api.pluginId}" has no command`);
    }
    return runCommand(registered, parse(body) as CliRequest, call);
  });

  api.svc.cli = { register: api.guard(kMember, register) };
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null && typeof (value as { message?: unknown }).message === "string") {
    return (value as { message: string }).message;
  }
  try {
    return typeof value === "string" ? value : String(value);
  } catch {
    return "a value that cannot be shown";
  }
}
