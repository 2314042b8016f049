/** Failures: which ones carry a code of the host, how the others are described, and who hears of uncaught ones. */
import type { Binding, BuiltinRequire } from "../binding.js";
import type { Attribution } from "./attribution.js";

interface OwnError {
  code: string;
  message: string;
  details?: string;
  issues?: string;
  /** What the author's code threw, when that is behind it. */
  cause?: unknown;
}

export interface Description {
  name: string;
  message: string;
  stack: string;
  code: string;
  details?: string;
}

export interface Errors {
  make(code: string, message: string, extra?: { details?: unknown; issues?: unknown[]; cause?: unknown }): Error;
  /** What runtime.error() made this error from; nothing for every other thrown value. */
  own(error: unknown): OwnError | undefined;
  fromHost(code: string, message: string, details?: string, issues?: string): Error;
  describe(error: unknown): Description;
  formatStack(error: unknown): string;
  reportUncaught(error: unknown, origin: "timer" | "rejection"): void;
}

const kDeepestCause = 5;

/** Characters of each text of a failure: what is longer would be kept, and sent, with each record of the plugin. */
const kLongestText = 64 * 1024;

/** Of what stands in front of the frames. */
const kLongestHead = kLongestText / 2;

/** Not within a pair of surrogates, which no JSON reader takes apart. */
function cut(text: string): string {
  return text.length <= kLongestText ? text : `${text.slice(0, kLongestText).replace(/[\ud800-\udbff]$/, "")}…`;
}

export function makeErrors(
  process: NodeJS.Process,
  builtin: BuiltinRequire,
  binding: Binding,
  attribution: Attribution,
  nameSources: (stack: string) => string,
): Errors {
  /** Errors of runtime.error(). Plugin code cannot forge an entry. */
  const owned = new WeakMap<object, OwnError>();
  const inspect = (value: unknown): string => builtin<typeof import("node:util")>("util").inspect(value, { depth: 2 });

  const errors: Errors = {
    make(code, message, extra) {
      const error = Object.assign(new Error(message), { code }, extra);
      owned.set(error, {
        code,
        message: cut(message),
        details: extra?.details === undefined ? undefined : JSON.stringify(extra.details),
        issues: extra?.issues === undefined ? undefined : JSON.stringify(extra.issues),
        cause: extra?.cause,
      });
      return error;
    },
    own: (error) => (typeof error === "object" && error !== null ? owned.get(error) : undefined),
    fromHost(code, message, details, issues) {
      const extra: { code: string; details?: unknown; issues?: unknown } = { code };
      if (details) {
        extra.details = JSON.parse(details);
      }
      if (issues) {
        extra.issues = JSON.parse(issues);
      }
      return Object.assign(new Error(message), extra);
    },
    describe(error) {
      try {
        return describe(error, formatStack(error, 0), inspect);
      } catch {
        // A getter or a proxy of the thrown value threw in turn.
        return { name: "Error", message: "a value that cannot be described was thrown", stack: "", code: "" };
      }
    },
    formatStack(error) {
      try {
        return formatStack(error, 0);
      } catch {
        return "a value that cannot be described was thrown";
      }
    },
    reportUncaught(error, origin) {
      if (attribution.owner()?.(error, origin) === true) {
        return;
      }
      const report = errors.describe(error);
      binding.uncaught(origin, report.name, report.message, report.stack, report.code, report.details);
    },
  };

  function formatStack(error: unknown, depth: number): string {
    if (!isError(error)) {
      return cut(typeof error === "string" ? error : inspect(error));
    }
    const text = nameSources(withoutHostFrames(cut(stackOf(error))));
    return error.cause === undefined || depth >= kDeepestCause
      ? text
      : cut(`${text}\n  [cause]: ${formatStack(error.cause, depth + 1).replaceAll("\n", "\n  ")}`);
  }

  watchUncaught(process, errors);
  return errors;
}

function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** The frames come behind the name and the message: those are cut, so that the frames stay. */
function stackOf(error: Error): string {
  const own = typeof error.stack === "string" && error.stack !== "" ? error.stack : String(error);
  const frames = own.indexOf("\n    at ");
  return frames > kLongestHead ? `${own.slice(0, kLongestHead)}…${own.slice(frames)}` : own;
}

/** Frames of the service say nothing to the author of a plugin. */
function withoutHostFrames(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => !/^\s+at .*(?:\(|\s)(?:svc:|node:internal\/)/.test(line))
    .join("\n");
}

function describe(error: unknown, stack: string, inspect: (value: unknown) => string): Description {
  if (!isError(error) && (typeof error !== "object" || error === null)) {
    return { name: typeof error, message: cut(String(error)), stack, code: "" };
  }
  const fields = error as { name?: unknown; message?: unknown; code?: unknown; retryable?: unknown };
  const details: { code?: string; retryable?: boolean } = {};
  if (typeof fields.code === "string") {
    details.code = cut(fields.code);
  }
  if (typeof fields.retryable === "boolean") {
    details.retryable = fields.retryable;
  }
  return {
    name: typeof fields.name === "string" ? cut(fields.name) : "Error",
    message: cut(typeof fields.message === "string" ? fields.message : inspect(error)),
    stack,
    code: details.code ?? "",
    details: Object.keys(details).length > 0 ? JSON.stringify(details) : undefined,
  };
}

/**
 * Every uncaught exception and detached rejection is reported, whatever listeners plugin code adds, and none ends the
 * environment. This sits in process.emit because listeners can be removed.
 */
function watchUncaught(process: NodeJS.Process, errors: Errors): void {
  const emit = process.emit as (this: NodeJS.Process, event: string, ...args: unknown[]) => boolean;
  const emitToScript = (event: string, args: unknown[]): void => {
    try {
      emit.call(process, event, ...args);
    } catch (error) {
      errors.reportUncaught(error, "timer");
    }
  };
  process.emit = function (event: string, ...args: unknown[]): boolean {
    switch (event) {
      case "uncaughtExceptionMonitor":
        errors.reportUncaught(args[0], "timer");
        emitToScript(event, args);
        return true;
      case "unhandledRejection":
        errors.reportUncaught(args[0], "rejection");
        emitToScript(event, args);
        return true;
      case "uncaughtException":
        emitToScript(event, args);
        return true;
      default:
        return emit.call(process, event, ...args);
    }
  } as NodeJS.Process["emit"];
}
