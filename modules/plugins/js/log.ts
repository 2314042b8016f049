import type { HostRuntime } from "../../jsruntime/js/runtime";
import { messageOf } from "./policy/thrown";

const { stringify } = JSON;

export interface PluginLog {
  debug(message: unknown): void;
  info(message: unknown): void;
  warn(message: unknown): void;
  error(message: unknown): void;
}

export interface CoreLog extends PluginLog {
  /** Not part of the `svc` object: a failure of the plugin's code in words of the service. */
  failure(what: string, error: unknown): void;
}

/** `svc.log`: never throws, never waits, works after disposal. */
export function buildLog(runtime: HostRuntime): CoreLog {
  const write = (level: string, prefix: string, message: unknown): void => {
    try {
      const line =
        message instanceof Error
          ? { level, message: prefix + describeError(message), stack: runtime.formatStack(message) }
          : { level, message: prefix + textOf(message) };
      runtime.callSync("core.log", stringify(line));
    } catch {
      // The environment is ending.
    }
  };
  const log = {
    debug: (message: unknown) => write("debug", "", message),
    info: (message: unknown) => write("info", "", message),
    warn: (message: unknown) => write("warn", "", message),
    error: (message: unknown) => write("error", "", message),
  };
  Object.defineProperty(log, "failure", {
    value: (what: string, error: unknown) => write("error", `${what}: `, error instanceof Error ? error : describeError(error)),
  });
  return log as CoreLog;
}

/** An object without toString(), or one that throws there, still leaves a line. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `[a value of type ${typeof value} that cannot be shown]`;
  }
}

/** Of whatever was thrown; the name only when it says more than "Error". */
export function describeError(error: unknown): string {
  const message = messageOf(error);
  const name = nameOf(error);
  return name === "" || name === "Error" ? message : `${name}: ${message}`;
}

/** Of an error, also one of another realm; empty for anything else. */
function nameOf(error: unknown): string {
  try {
    const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
    return typeof error === "object" && typeof message === "string" && typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}
