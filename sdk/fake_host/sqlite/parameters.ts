/** What a statement is given: values in order, and one object for the parameters with names. */
import type { Address, Machine } from "./machine";
import { bindValue, isBindable } from "./values";

const kNotAValue = "SQLite3 can only bind numbers, strings, bigints, buffers, and null";

export interface ParameterList {
  readonly anonymous: readonly number[];
  readonly named: readonly { index: number; name: string }[];
}

export function parametersOf(machine: Machine, statement: Address): ParameterList {
  const { calls } = machine;
  const anonymous: number[] = [];
  const named: { index: number; name: string }[] = [];
  for (let index = 1; index <= calls.sqlite3_bind_parameter_count(statement); index++) {
    const name = calls.sqlite3_bind_parameter_name(statement, index);
    if (name === 0) {
      anonymous.push(index);
    } else {
      // Without the sign in front of it.
      named.push({ index, name: machine.text(name + 1) });
    }
  }
  return { anonymous, named };
}

/** `{…}` of any realm, or an object without a prototype. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The values by the index of their parameter. Getters of the arguments run here. */
export function readParameters(args: readonly unknown[], { anonymous, named }: ParameterList): [index: number, value: unknown][] {
  const values: [number, unknown][] = [];
  let record: Record<string, unknown> | undefined;
  const add = (value: unknown): void => {
    if (!isBindable(value)) {
      throw new TypeError(kNotAValue);
    }
    const index = anonymous[values.length];
    if (index === undefined) {
      throw new RangeError("Too many parameter values were provided");
    }
    values.push([index, value]);
  };
  for (const argument of args) {
    if (Array.isArray(argument)) {
      // A getter may change the length; what was there at the beginning is read.
      for (let at = 0, { length } = argument; at < length; at++) {
        add(argument[at]);
      }
    } else if (typeof argument !== "object" || argument === null || ArrayBuffer.isView(argument)) {
      add(argument);
    } else if (!isPlainObject(argument)) {
      throw new TypeError(named.length === 0 ? kNotAValue : "Named parameters can only be passed within plain objects");
    } else if (record !== undefined) {
      throw new TypeError("You cannot specify named parameters in two different objects");
    } else {
      record = argument as Record<string, unknown>;
    }
  }
  const given = values.length;
  if (named.length > 0) {
    if (record === undefined) {
      throw new TypeError("Missing named parameters");
    }
    for (const { index, name } of named) {
      if (!Object.hasOwn(record, name)) {
        throw new RangeError(`Missing named parameter "${name}"`);
      }
      values.push([index, record[name]]);
    }
  }
  if (given < anonymous.length) {
    throw new RangeError("Too few parameter values were provided");
  }
  return values;
}

export function bindParameters(machine: Machine, statement: Address, values: readonly [index: number, value: unknown][]): void {
  for (const [index, value] of values) {
    const fit = bindValue(machine, value, statement, index);
    if (fit === "too big") {
      throw new RangeError("The bound string, buffer, or bigint is too big");
    }
    if (fit === "not a value") {
      throw new TypeError(kNotAValue);
    }
  }
}
