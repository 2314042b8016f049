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
  redirectWrites(process, builtin);
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
  (process as unknown as { _rawDebug: unknown })._rawDebug = (...args: unknown[]) =>
    binding.log("info", builtin("util").format(...args));
}

/** Loggers write to the descriptors 1 and 2 themselves, which are the server's. */
function redirectWrites(process: NodeJS.Process, builtin: BuiltinRequire): void {
  const fs = builtin("fs") as Record<"write" | "writeSync", (...args: unknown[]) => unknown>;
  const { write, writeSync } = fs;
  const take = (descriptor: unknown, data: unknown, rest: unknown[]): number => {
    const stream = descriptor === 1 ? process.stdout : process.stderr;
    if (!ArrayBuffer.isView(data)) {
      stream.write(String(data));
      return Buffer.byteLength(String(data));
    }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const given = typeof rest[0] === "object" && rest[0] !== null ? (rest[0] as { offset?: number; length?: number }) : undefined;
    const offset = given ? given.offset ?? 0 : Number(rest[0] ?? 0) || 0;
    const length = given ? given.length : typeof rest[1] === "number" ? rest[1] : undefined;
    const part = bytes.subarray(offset, length === undefined ? undefined : offset + length);
    stream.write(Buffer.from(part));
    return part.length;
  };
  const isStandard = (descriptor: unknown): boolean => descriptor === 1 || descriptor === 2;
  const writes = {
    writeSync: (descriptor: unknown, data: unknown, ...rest: unknown[]) =>
      isStandard(descriptor) ? take(descriptor, data, rest) : writeSync(descriptor, data, ...rest),
    write: (descriptor: unknown, data: unknown, ...rest: unknown[]) => {
      const done = rest[rest.length - 1];
      if (!isStandard(descriptor) || typeof done !== "function") {
        return write(descriptor, data, ...rest);
      }
      const written = take(descriptor, data, rest.slice(0, -1));
      process.nextTick(() => (done as (error: null, written: number, data: unknown) => void)(null, written, data));
      return undefined;
    },
  };
  // With what util.promisify keeps on the original.
  fs.write = Object.defineProperties(writes.write, Object.getOwnPropertyDescriptors(write));
  fs.writeSync = Object.defineProperties(writes.writeSync, Object.getOwnPropertyDescriptors(writeSync));
}

function defineStream(process: NodeJS.Process, name: string, make: () => unknown): void {
  let stream: unknown;
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: () => (stream ??= make()),
    set: (value: unknown) => (stream = value),
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
