/** Between values of SQLite and of JavaScript. */
import type { Address, Machine } from "./machine";

const kInteger = 1;
const kFloat = 2;
const kText = 3;
const kBlob = 4;
/** SQLite makes a copy. */
const kTransient = -1;

/** One column of a row, or one argument of a function. */
interface Source {
  type: number;
  int(): bigint;
  double(): number;
  text(): Address;
  blob(): Address;
  bytes(): number;
}

function read(machine: Machine, source: Source, bigInts: boolean): unknown {
  switch (source.type) {
    case kInteger:
      return bigInts ? source.int() : Number(source.int());
    case kFloat:
      return source.double();
    case kText: {
      const at = source.text();
      return machine.text(at, source.bytes());
    }
    case kBlob: {
      const at = source.blob();
      return Buffer.from(machine.bytes.subarray(at, at + source.bytes()));
    }
    default:
      return null;
  }
}

export function columnValue(machine: Machine, statement: Address, column: number, bigInts: boolean): unknown {
  const { calls } = machine;
  const source: Source = {
    type: calls.sqlite3_column_type(statement, column),
    int: () => calls.sqlite3_column_int64(statement, column),
    double: () => calls.sqlite3_column_double(statement, column),
    text: () => calls.sqlite3_column_text(statement, column),
    blob: () => calls.sqlite3_column_blob(statement, column),
    bytes: () => calls.sqlite3_column_bytes(statement, column),
  };
  return read(machine, source, bigInts);
}

export function argumentValue(machine: Machine, value: Address, bigInts: boolean): unknown {
  const { calls } = machine;
  const source: Source = {
    type: calls.sqlite3_value_type(value),
    int: () => calls.sqlite3_value_int64(value),
    double: () => calls.sqlite3_value_double(value),
    text: () => calls.sqlite3_value_text(value),
    blob: () => calls.sqlite3_value_blob(value),
    bytes: () => calls.sqlite3_value_bytes(value),
  };
  return read(machine, source, bigInts);
}

export const isBindable = (value: unknown): boolean =>
  value === undefined || value === null || ["number", "string", "bigint"].includes(typeof value) || ArrayBuffer.isView(value);

/** Where a value goes; each answers a result code. */
interface Target {
  null(): number | void;
  double(value: number): number | void;
  int(value: bigint): number | void;
  text(at: Address, size: number): number | void;
  blob(at: Address, size: number): number | void;
}

export type Fit = "taken" | "too big" | "not a value";

function put(machine: Machine, value: unknown, target: Target): Fit {
  const fit = (status: number | void): Fit => ((status ?? 0) === 0 ? "taken" : "too big");
  switch (typeof value) {
    case "number":
      return fit(target.double(value));
    case "string":
      return fit(machine.usingText(value, (at, size) => target.text(at, size)));
    case "bigint":
      return BigInt.asIntN(64, value) === value ? fit(target.int(value)) : "too big";
    default:
      if (value === undefined || value === null) {
        return fit(target.null());
      }
      if (ArrayBuffer.isView(value)) {
        const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        return fit(machine.usingBytes(bytes, (at, size) => target.blob(at, size)));
      }
      return "not a value";
  }
}

export function bindValue(machine: Machine, value: unknown, statement: Address, index: number): Fit {
  const { calls } = machine;
  return put(machine, value, {
    null: () => calls.sqlite3_bind_null(statement, index),
    double: (number) => calls.sqlite3_bind_double(statement, index, number),
    int: (number) => calls.sqlite3_bind_int64(statement, index, number),
    text: (at, size) => calls.sqlite3_bind_text(statement, index, at, size, kTransient),
    blob: (at, size) => calls.sqlite3_bind_blob(statement, index, at, size, kTransient),
  });
}

export function returnValue(machine: Machine, value: unknown, context: Address): Fit {
  const { calls } = machine;
  return put(machine, value, {
    null: () => calls.sqlite3_result_null(context),
    double: (number) => calls.sqlite3_result_double(context, number),
    int: (number) => calls.sqlite3_result_int64(context, number),
    text: (at, size) => calls.sqlite3_result_text(context, at, size, kTransient),
    blob: (at, size) => calls.sqlite3_result_blob(context, at, size, kTransient),
  });
}
