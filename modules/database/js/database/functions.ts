import { booleanOption, functionOption, optionalBoolean, optionsArgument, stringArgument, type Options } from "./checks";
import type { Connection } from "./native";

const kMostArguments = 100;

function nameOf(value: unknown): string {
  const name = stringArgument(value);
  if (name === "") {
    throw new TypeError("User-defined function name cannot be an empty string");
  }
  return name;
}

function lengthOf(fn: Function, subject: string): number {
  const length: unknown = fn.length;
  if (typeof length !== "number" || !Number.isInteger(length) || length < 0) {
    throw new TypeError(`Expected ${subject}.length to be a positive integer`);
  }
  return length;
}

/** How many arguments SQL has to pass; -1 for any number. */
function argumentCount(options: Options, declared: () => number): number {
  if (booleanOption(options, "varargs")) {
    return -1;
  }
  const count = declared();
  if (count > kMostArguments) {
    throw new RangeError(`User-defined functions cannot have more than ${kMostArguments} arguments`);
  }
  return count;
}

/** `db.function(name, [options,] fn)` */
export function defineFunction(connection: Connection, name: unknown, first: unknown, second: unknown): void {
  const fn = typeof first === "function" && second === undefined ? first : second;
  const checkedName = stringArgument(name);
  if (typeof fn !== "function") {
    throw new TypeError("Expected last argument to be a function");
  }
  const options = fn === first ? {} : optionsArgument(first, "second");
  nameOf(checkedName);
  connection.defineFunction(
    checkedName,
    argumentCount(options, () => lengthOf(fn, "function")),
    booleanOption(options, "deterministic"),
    booleanOption(options, "directOnly"),
    optionalBoolean(options, "safeIntegers"),
    fn,
  );
}

/** `db.aggregate(name, options)` */
export function defineAggregate(connection: Connection, name: unknown, value: unknown): void {
  const checkedName = stringArgument(name);
  if (typeof value !== "object" || value === null) {
    throw new TypeError("Expected second argument to be an options object");
  }
  const options = value as Options;
  nameOf(checkedName);
  const step = functionOption(options, "step");
  if (step === undefined) {
    throw new TypeError('Missing required option "step"');
  }
  const inverse = functionOption(options, "inverse");
  const result = functionOption(options, "result");
  // The first argument of both is the value so far.
  const declared = (): number => Math.max(lengthOf(step, "step"), inverse === undefined ? 0 : lengthOf(inverse, "inverse"), 1) - 1;
  connection.defineAggregate(
    checkedName,
    argumentCount(options, declared),
    booleanOption(options, "deterministic"),
    booleanOption(options, "directOnly"),
    optionalBoolean(options, "safeIntegers"),
    step,
    "start" in options ? options.start : null,
    inverse,
    result,
  );
}
