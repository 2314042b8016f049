/** console.* and the standard streams go to the observer, line by line; the server's own streams stay its own. */
import type { Binding, BuiltinRequire } from "../binding.js";

type Level = "info" | "warn" | "error";

const kLevels = { warn: "warn", error: "error", assert: "error", trace: "info" } as const;

/** A line without an end is passed on when it is this long, or after this time. */
const kLongestPartial = 64 * 1024;
const kPartialAfterMs = 100;

export function redirectStdio(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): void {
  let level: Level = "info";
  let inMethod = false;
  const stream = lazyStream(builtin, (text) => binding.log(level, text));
  defineStream(process, "stdout", () => stream(1));
  defineStream(process, "stderr", () => stream(2));
  defineStream(process, "stdin", () => emptyInput(builtin));
  // The global console writes through the streams; the level of what it writes is that of the method.
  for (const method of ["warn", "error", "trace", "assert"] as const) {
    const original = console[method] as (...args: unknown[]) => void;
    const leveled = function (...args: unknown[]): void {
      if (inMethod) {
        original.apply(console, args); // trace and assert write through error and warn
        return;
      }
      inMethod = true;
      level = kLevels[method];
      try {
        original.apply(console, args);
      } finally {
        inMethod = false;
        level = "info";
      }
    };
    Object.defineProperty(leveled, "name", { value: method });
    console[method] = leveled as never;
  }
  // Warnings of Node would be printed on the server's stderr. That something is experimental is our choice, not news.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") {
      binding.log("warn", `${warning.name}: ${warning.message}`);
    }
  });
  (process as unknown as { _rawDebug: unknown })._rawDebug = (...args: unknown[]) => binding.log("info", builtin("util").format(...args));
}

function defineStream(process: NodeJS.Process, name: string, make: () => unknown): void {
  let stream: unknown;
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: () => (stream ??= make()),
    set: (value: unknown) => {
      stream = value;
    },
  });
}

/** Makes Writables that emit lines. A write that happens inside console.warn is emitted before that returns. */
function lazyStream(builtin: BuiltinRequire, emit: (line: string) => void): (descriptor: number) => unknown {
  return (descriptor) => {
    const { Writable } = builtin<typeof import("node:stream")>("stream");
    const { StringDecoder } = builtin<typeof import("node:string_decoder")>("string_decoder");
    const decoder = new StringDecoder("utf8");
    let partial = "";
    let timer: NodeJS.Timeout | undefined;
    const flush = (): void => {
      timer = undefined;
      if (partial !== "") {
        emit(partial);
        partial = "";
      }
    };
    const take = (text: string): void => {
      const end = text.lastIndexOf("\n");
      if (end >= 0) {
        emit(partial + text.slice(0, end));
        partial = "";
      }
      partial += text.slice(end + 1);
      if (partial.length >= kLongestPartial) {
        flush();
      } else if (partial !== "" && timer === undefined) {
        timer = setTimeout(flush, kPartialAfterMs);
        timer.unref();
      }
    };
    const writable = new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        take(typeof chunk === "string" ? chunk : decoder.write(chunk));
        done();
      },
    });
    return Object.assign(writable, { fd: descriptor, isTTY: false, _type: "pipe", destroySoon: () => undefined });
  };
}

function emptyInput(builtin: BuiltinRequire): unknown {
  const { Readable } = builtin<typeof import("node:stream")>("stream");
  return Object.assign(Readable.from([]), { fd: 0, isTTY: false });
}
