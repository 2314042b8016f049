/** SQLite of this thread with its files and functions, and what every use of it needs. */
import { SqliteError } from "../../../modules/database/js/database/sqlite_error";
import { registerFiles } from "./files";
import { Functions } from "./functions";
import { type Address, type Machine, theMachine } from "./machine";

/** What belongs to the machine of this thread. */
export interface Library {
  machine: Machine;
  files: Address;
  functions: Functions;
  /** Names of result codes. */
  names: ReadonlyMap<number, string>;
}

let library: Library | undefined;

export function theLibrary(): Library {
  if (library === undefined) {
    const machine = theMachine();
    const table = JSON.parse(machine.text(machine.calls.sqlite3__wasm_enum_json())) as { resultCodes: Record<string, number> };
    const names = new Map(Object.entries(table.resultCodes).map(([name, code]) => [code, name]));
    library = { machine, files: registerFiles(machine), functions: new Functions(machine), names };
  }
  return library;
}

export function failureOf({ machine, names }: Library, handle: Address): SqliteError {
  const code = machine.calls.sqlite3_extended_errcode(handle);
  return new SqliteError(machine.text(machine.calls.sqlite3_errmsg(handle)), names.get(code) ?? `SQLITE_UNKNOWN_${code}`);
}

/** Opens a database, or throws. */
export function openHandle(library: Library, path: string, flags: number): Address {
  const { machine, files } = library;
  return machine.using(4, (out) => {
    const status = machine.usingText(path, (name) => machine.calls.sqlite3_open_v2(name, out, flags, files));
    const handle = machine.int(out);
    if (status !== 0) {
      const error = failureOf(library, handle);
      machine.calls.sqlite3_close_v2(handle);
      throw error;
    }
    return handle;
  });
}
