/** Codes of the builder's own failures; commands add theirs. */
export type CliErrorCode =
  "unknown_command" | "unknown_option" | "missing_required" | "invalid_value" | "unexpected_argument" | "command_failed";

/** What `PluginCliError` takes beside its message. */
export interface PluginCliErrorOptions {
  /** Default `command_failed`. */
  code?: string;
  /** What to do about it; a line of its own. */
  hint?: string;
  /** 1…255. Default 1. */
  exitCode?: number;
}

/**
 * A failure of a command that is the user's to fix: `svc` prints the message and the hint and ends with the exit code. With
 * `--json`, `{"ok":false,"error":{code,message,hint}}` is printed as well. Recognised by its name, not by its class.
 */
export class PluginCliError extends Error {
  override readonly name = "PluginCliError";
  readonly code: string;
  readonly hint: string | null;
  readonly exitCode: number;

  constructor(message: string, { code = "command_failed", hint, exitCode = 1 }: PluginCliErrorOptions = {}) {
    super(message);
    this.code = code;
    this.hint = hint ?? null;
    this.exitCode = exitCode;
  }
}

/** A command line that cannot be understood; the exit code is the definition's. */
export class UsageError extends Error {
  constructor(
    readonly code: CliErrorCode,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

/** What is wrong with a definition. */
export function refuse(what: string): never {
  throw new TypeError(`defineCli: ${what}`);
}
