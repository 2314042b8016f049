import type { MaybePromise } from "./json.js";

/** Largest stdout + stderr of one command, in bytes of UTF-8. A larger result fails, it is never clipped. */
export const PLUGIN_CLI_OUTPUT_MAX_BYTES = 1_048_576;

/** One command, as help and generated skills show it. Read by the service without running plugin code. */
export interface PluginCliCommandInfo {
  /** Words of lower-case letters, digits and `-`, separated by single spaces: `add`, `label add`. */
  name: string;
  /** One line that says what it does. */
  summary: string;
  /** How to call it, in full: `svc todo add <title…>`. */
  usage: string;
}

/** Who runs a command, and from where. */
export interface PluginCliContext {
  /** Working directory of the caller, on the caller's machine. */
  cwd?: string | undefined;
  /** The thread the command was run from, when an agent runs it. */
  threadId?: string | undefined;
  /** The project of the thread or terminal that the command was run in. */
  projectId?: string | undefined;
  /** Aborts when the caller disconnects, and after 60 minutes. */
  signal: AbortSignal;
}

/** What a command answers: `svc` prints it and ends with the exit code. */
export interface PluginCliResult {
  /** 0…255; becomes the exit code of `svc`. */
  exitCode: number;
  /** Written as it is, with a final newline added when missing. */
  stdout?: string;
  /** Written as it is, with a final newline added when missing. Default: nothing. */
  stderr?: string;
}

/** What callers get of a command that ran. */
export type PluginCliExecutionResult = Required<PluginCliResult>;

/** How a command fails whose output exceeds `PLUGIN_CLI_OUTPUT_MAX_BYTES`. */
export interface PluginCliOutputLimitError {
  code: "plugin_cli_output_too_large";
  message: string;
  details: { maxBytes: number; stdoutBytes: number; stderrBytes: number; totalBytes: number; exitCode: number };
}

/** The command `svc <name> …` of a plugin, as `svc.cli.register` takes it. `defineCli` makes one out of typed options. */
export interface PluginCliRegistration {
  /** One word of lower-case letters, digits and `-`; normally the plugin id. */
  name: string;
  /** Default: the description of the manifest. */
  summary?: string;
  /** For help, completion and the generated skill; `run` gets every command line all the same. */
  commands?: PluginCliCommandInfo[];
  /**
   * Runs on the server. `argv` does not contain the command name. A throw fails the call with `svc <name> failed:
   * <message>`; return an exit code instead for failures a user can cause.
   */
  run(argv: string[], context: PluginCliContext): MaybePromise<PluginCliResult>;
  /** `--help` reaches `run`. Without it the service answers from `commands`. */
  rendersHelp?: boolean;
}

/** `svc.cli`: the command of the plugin. */
export interface PluginCli {
  /**
   * Registers the command `svc <name> …`. Once per load. A core command of the same name wins; the plugin's stays
   * reachable as `svc plugin run <id> …`.
   *
   * @throws TypeError on an invalid registration, and on the second call in one load.
   */
  register(registration: PluginCliRegistration): void;
}
