/** What plugin code threw may be anything; these never throw themselves. */

const { stringify } = JSON;
const kAnyObject = "[object Object]";

export interface Thrown {
  message: string;
  code?: unknown;
  retryable?: unknown;
}

export function describeThrown(thrown: unknown): Thrown {
  try {
    if (typeof thrown === "object" && thrown !== null) {
      const { message, code, retryable } = thrown as Record<string, unknown>;
      return { message: typeof message === "string" ? message : shown(thrown), code, retryable };
    }
    return { message: String(thrown) };
  } catch {
    return { message: "a value that cannot be shown was thrown" };
  }
}

/** As JSON what says of itself only that it is an object. */
function shown(value: object): string {
  const text = typeof value.toString === "function" ? String(value) : kAnyObject;
  return text === kAnyObject ? stringify(value) : text;
}

export function messageOf(thrown: unknown): string {
  return describeThrown(thrown).message;
}

/** The rejection of a call whose other side this service does not have. */
export function notSupported(member: string, why = "this service does not have it"): Error {
  return Object.assign(new Error(`${member} is not supported: ${why}`), { code: "not_supported" });
}

/** As the web platform names it. */
export function abortError(message: string): Error {
  return Object.assign(new Error(message), { name: "AbortError" });
}
