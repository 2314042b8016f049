/**
 * WebAssembly programs of `node:wasi`: their standard streams are never the server's, and no program closes a number behind the
 * script's back.
 */
import type { BuiltinRequire } from "../binding.js";
import { isStandard, type OwnDescriptors } from "./descriptors.js";

/** What a program imports: functions that answer an error number of WASI. */
interface Imports {
  fd_close(descriptor: number): number;
  fd_renumber(from: number, to: number): number;
}
type Options = Partial<Record<(typeof kNames)[number], number>>;
type Wasi = new (options?: Options) => { readonly wasiImport: Imports };

const kSuccess = 0;
const kNotSupported = 58;
const kNames = ["stdin", "stdout", "stderr"] as const;

export function guardWasi(exports: { WASI: Wasi }, builtin: BuiltinRequire, own: OwnDescriptors): void {
  /** /dev/null, for all programs of this thread. */
  let nothing: number | undefined;
  const nothingOpen = (): number => {
    if (nothing === undefined || !own.has(nothing)) {
      nothing = builtin<typeof import("node:fs")>("fs").openSync("/dev/null", "r+");
    }
    return nothing;
  };
  const streamOf = (options: Options, name: (typeof kNames)[number]): number => {
    const descriptor = options[name];
    if (descriptor === undefined || isStandard(descriptor)) {
      return nothingOpen();
    }
    if (!own.has(descriptor)) {
      throw Object.assign(new Error(`EBADF: bad file descriptor: options.${name} is not open in this plugin`), { code: "EBADF" });
    }
    return descriptor;
  };
  exports.WASI = class WASI extends exports.WASI {
    constructor(options: Options = {}) {
      super({ ...options, ...Object.fromEntries(kNames.map((name) => [name, streamOf(options, name)])) });
      const imports = this.wasiImport;
      const { fd_close, fd_renumber } = imports;
      // The script, or another program, goes on using what stands behind these.
      imports.fd_close = (descriptor) => (isStandard(descriptor) ? kSuccess : fd_close.call(imports, descriptor));
      imports.fd_renumber = (from, to) => (isStandard(from) || isStandard(to) ? kNotSupported : fd_renumber.call(imports, from, to));
    }
  };
}
