/** Checks of arguments, in the words that authors know from the better-sqlite3 package. */

export type Options = Record<string, unknown>;

export function stringArgument(value: unknown, which: "first" | "second" = "first"): string {
  if (typeof value !== "string") {
    throw new TypeError(`Expected ${which} argument to be a string`);
  }
  return value;
}

/** The argument of a switch: `true` when it is left out. */
export function switchArgument(args: readonly unknown[]): boolean {
  if (args.length === 0) {
    return true;
  }
  if (typeof args[0] !== "boolean") {
    throw new TypeError("Expected first argument to be a boolean");
  }
  return args[0];
}

export function optionsArgument(value: unknown, which: "first" | "second"): Options {
  if (value === undefined || value === null) {
    return {};
  }
  if (typeof value !== "object") {
    throw new TypeError(`Expected ${which} argument to be an options object`);
  }
  return value as Options;
}

/** An option that is left out is false. */
export function booleanOption(options: Options, key: string): boolean {
  return optionalBoolean(options, key) ?? false;
}

export function optionalBoolean(options: Options, key: string): boolean | undefined {
  if (!(key in options)) {
    return undefined;
  }
  const value = options[key];
  if (typeof value !== "boolean") {
    throw new TypeError(`Expected the "${key}" option to be a boolean`);
  }
  return value;
}

export function functionOption(options: Options, key: string): Function | undefined {
  const value = key in options ? options[key] : undefined;
  if (value === undefined || value === null) {
    return undefined;
  }
  if (typeof value !== "function") {
    throw new TypeError(`Expected the "${key}" option to be a function`);
  }
  return value;
}
