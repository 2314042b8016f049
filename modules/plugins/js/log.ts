import type { HostRuntime } from "../../jsruntime/js/runtime";

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
          : { level, message: prefix + String(message) };
      runtime.callSync("core.log", stringify(line));
    } catch {
      // A message that cannot be turned into text, or an environment that is ending.
    }
  };
  const log = {
    debug: (message: unknown) => write("debug", "", message),
    info: (message: unknown) => write("info", "", message),
    warn: (message: unknown) => write("warn", "", message),
    error: (message: unknown) => write("error", "", message),
  };
  Object.defineProperty(log, "failure", {
    value: (what: string, error: unknown) => write("error", `${what}: `, error),
  });
  return log as CoreLog;
}

/** The name only when it says more than "Error". */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "Error" || error.name === undefined ? error.message : `${error.name}: ${error.message}`;
}
