/**
 * The descriptors 0 to 2 belong to the server. What is written to 1 and 2 goes where the script's own streams go, reading
 * 0 finds its end, and closing one does nothing.
 */
import type { BuiltinRequire } from "../binding.js";

type Function = (...args: any[]) => any;
type FileSystem = Record<
  "write" | "writeSync" | "writev" | "writevSync" | "read" | "readSync" | "close" | "closeSync",
  Function
>;

export const isStandard = (descriptor: unknown): boolean => descriptor === 0 || isOutput(descriptor);
const isOutput = (descriptor: unknown): boolean => descriptor === 1 || descriptor === 2;

export function guardDescriptors(process: NodeJS.Process, builtin: BuiltinRequire): void {
  const fs = builtin("fs") as FileSystem;
  const { nextTick } = process;
  const original = { ...fs };
  const streamOf = (descriptor: unknown) => (descriptor === 1 ? process.stdout : process.stderr);

  const write = (descriptor: unknown, data: unknown, rest: unknown[]): number => {
    const stream = streamOf(descriptor);
    if (!ArrayBuffer.isView(data)) {
      stream.write(String(data));
      return Buffer.byteLength(String(data));
    }
    const part = partOf(Buffer.from(data.buffer, data.byteOffset, data.byteLength), rest);
    stream.write(Buffer.from(part));
    return part.length;
  };
  const writeAll = (descriptor: unknown, pieces: NodeJS.ArrayBufferView[]): number =>
    pieces.reduce((sum, piece) => sum + write(descriptor, piece, []), 0);

  /** Replaces one pair: `fs.<name>Sync` answers with what `act` returns, `fs.<name>` passes it to its callback. */
  const replace = (
    name: "write" | "writev" | "read" | "close",
    takes: (descriptor: unknown) => boolean,
    act: (descriptor: unknown, data: any, rest: unknown[]) => number | undefined,
  ): void => {
    const sync = `${name}Sync` as const;
    const replacements = {
      [sync]: (descriptor: unknown, data: unknown, ...rest: unknown[]) =>
        takes(descriptor) ? act(descriptor, data, rest) : original[sync](descriptor, data, ...rest),
      [name]: (...args: unknown[]) => {
        const done = args.at(-1);
        if (!takes(args[0]) || typeof done !== "function") {
          return original[name](...args);
        }
        const [descriptor, data, ...rest] = args.slice(0, -1);
        const result = act(descriptor, data, rest);
        nextTick(() => done(null, result, data));
      },
    };
    for (const key of [name, sync]) {
      // With what util.promisify keeps on the original.
      fs[key] = Object.defineProperties(replacements[key] as Function, Object.getOwnPropertyDescriptors(original[key]));
    }
  };
  replace("write", isOutput, write);
  replace("writev", isOutput, writeAll);
  replace("read", (descriptor) => descriptor === 0, () => 0);
  replace("close", isStandard, () => undefined);
}

/** The part of `bytes` that (offset, length) or ({ offset, length }) of fs.write names. */
function partOf(bytes: Buffer, rest: unknown[]): Buffer {
  const given = typeof rest[0] === "object" && rest[0] !== null ? (rest[0] as { offset?: number; length?: number }) : undefined;
  const offset = given ? given.offset ?? 0 : Number(rest[0] ?? 0) || 0;
  const length = given ? given.length : typeof rest[1] === "number" ? rest[1] : undefined;
  return bytes.subarray(offset, length === undefined ? undefined : offset + length);
}
