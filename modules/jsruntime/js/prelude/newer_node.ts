/** Functions of Node's own modules that Node 22 has and an older one lacks, as far as JavaScript can add them. */
import type { BuiltinRequire } from "../binding.js";
import { getCallSites } from "./call_sites.js";
import { addMissing } from "./define.js";
import { makeDuplexPair } from "./duplex_pair.js";
import { withNegatives } from "./parse_args.js";

/** What is always there. The rest is added to a module when it is first asked for: see newerMembers(). */
export function addNewerMembers(process: NodeJS.Process, builtin: BuiltinRequire): void {
  addMissing(process, { availableMemory: () => builtin<typeof import("node:os")>("os").freemem() });
  // Also where Node has one: that sets variables of the whole process.
  Object.defineProperty(process, "loadEnvFile", { value: envLoader(process, builtin), writable: true, configurable: true });
  addMissing(ArrayBuffer.prototype, {
    transfer(this: ArrayBuffer, length = this.byteLength) {
      return resized(this, length);
    },
    transferToFixedLength(this: ArrayBuffer, length = this.byteLength) {
      return resized(this, length);
    },
  });
}

/** The major version whose parseArgs has allowNegative. */
const kOfParseArgs = 22;

/** By module name. */
export function newerMembers(builtin: BuiltinRequire): Record<string, (exports: never) => void> {
  return {
    util: (exports: typeof import("node:util")) => {
      if (Number.parseInt(process.versions.node) < kOfParseArgs) {
        exports.parseArgs = withNegatives(exports.parseArgs);
      }
      addEnumerable(exports, { parseEnv, styleText: makeStyleText(builtin), getCallSites });
    },
    stream: (exports: typeof import("node:stream")) => addEnumerable(exports, { duplexPair: makeDuplexPair(exports) }),
    zlib: (exports: object) => addEnumerable(exports, { crc32 }),
    crypto: (exports: typeof import("node:crypto")) =>
      addEnumerable(exports, {
        hash: (algorithm: string, data: string | NodeJS.ArrayBufferView, encoding: string = "hex") => {
          const hash = exports.createHash(algorithm).update(data);
          return encoding === "buffer" ? hash.digest() : hash.digest(encoding as "hex");
        },
      }),
    fs: (exports: typeof import("node:fs")) =>
      addEnumerable(exports, {
        openAsBlob: async (path: string, options?: { type?: string }) => new Blob([await exports.promises.readFile(path)], options),
      }),
  };
}

/** Enumerable, as exports of a module are: that is how they reach native imports. */
function addEnumerable(exports: object, members: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(members)) {
    if (!(name in exports)) {
      Object.defineProperty(exports, name, { value, writable: true, configurable: true, enumerable: true });
    }
  }
}

function resized(buffer: ArrayBuffer, length: number): ArrayBuffer {
  const moved = structuredClone(buffer, { transfer: [buffer] });
  if (moved.byteLength === length) {
    return moved;
  }
  const result = new ArrayBuffer(length);
  new Uint8Array(result).set(new Uint8Array(moved, 0, Math.min(length, moved.byteLength)));
  return result;
}

function envLoader(process: NodeJS.Process, builtin: BuiltinRequire) {
  return (path: string | URL = ".env"): void => {
    const text = builtin<typeof import("node:fs")>("fs").readFileSync(path, "utf8");
    const parse = builtin<{ parseEnv?: (text: string) => Record<string, string> }>("util").parseEnv ?? parseEnv;
    for (const [name, value] of Object.entries(parse(text))) {
      process.env[name] ??= value;
    }
  };
}

const kEnvLine = /^\s*(?:export\s+)?([\w.-]+)\s*=[^\S\n]*("(?:\\"|[^"])*"|'[^']*'|`[^`]*`|[^#\n]*)[^\n]*$/gm;

function parseEnv(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [, name = "", given = ""] of String(text).replaceAll("\r\n", "\n").matchAll(kEnvLine)) {
    const value = given.trim();
    const quote = value.length > 1 && `"'\``.includes(value.charAt(0)) ? value.charAt(0) : "";
    const inner = quote === "" ? value : value.slice(1, -1);
    values[name] = quote === '"' ? inner.replaceAll("\\n", "\n") : inner;
  }
  return values;
}

function makeStyleText(builtin: BuiltinRequire) {
  return (format: string | string[], text: string): string => {
    const { colors } = builtin<typeof import("node:util")>("util").inspect;
    return (Array.isArray(format) ? format : [format]).reduceRight((styled, name) => {
      const codes = colors[name];
      if (codes === undefined) {
        throw new TypeError(`The argument 'format' must be one of: ${Object.keys(colors).join(", ")}. Received '${name}'`);
      }
      return `\u001b[${codes[0]}m${styled}\u001b[${codes[1]}m`;
    }, String(text));
  };
}

let crcTable: Uint32Array | undefined;

function crc32(data: string | Uint8Array, start = 0): number {
  crcTable ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; ++bit) {
      value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    }
    return value;
  });
  let crc = ~start;
  for (const byte of typeof data === "string" ? Buffer.from(data) : data) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] as number);
  }
  return ~crc >>> 0;
}
