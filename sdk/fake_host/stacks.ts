/** Frames of the host say nothing to the author of a plugin; the server leaves them out, too. */
import { fileURLToPath } from "node:url";

const kOwnFile = fileURLToPath(import.meta.url);
/** Enough to get through the host to the author's line. */
const kFrames = 50;

export function withoutHostFrames(stack: string): string {
  const lines = stack.split("\n");
  return lines.filter((line) => !/^\s+at /.test(line) || !line.includes(kOwnFile)).join("\n");
}

/** Runs what refuses an argument, so that the stack of the error begins where the argument was given. */
export function pointingAtTheCaller<T>(refuse: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = kFrames;
  try {
    return refuse();
  } catch (error) {
    if (error instanceof Error && error.stack !== undefined) {
      error.stack = withoutHostFrames(error.stack);
    }
    throw error;
  } finally {
    Error.stackTraceLimit = limit;
  }
}
