import { UsageError } from "./errors.js";
import { listed, nearest } from "./names.js";
import type { KnownCommand, KnownOption } from "./table.js";
import type { CliConstraint, CliPositional } from "./types.js";
import { isList, readValue } from "./values.js";

export interface ParsedArguments {
  options: Record<string, unknown>;
  positionals: Record<string, string | string[] | undefined>;
  passthrough: string[];
}

/** How a positional is shown: `<title>`, `[note]`, `<file…>`. */
export function positionalText({ name, required, variadic }: CliPositional): string {
  const text = variadic === true ? `${name}…` : name;
  return required === true ? `<${text}>` : `[${text}]`;
}

/** Reads what follows the name of a command. Throws UsageError. */
export function parseArguments(known: KnownCommand, argv: readonly string[], called: string): ParsedArguments {
  const reader = new Reader(known, argv);
  reader.readAll();
  const { given, words, passthrough } = reader;
  const positionals = assign(known, words, called);
  const missing = [
    ...known.options
      .filter(({ key, option }) => option.type !== "boolean" && option.required === true && !given.has(key))
      .map(({ flag }) => flag),
    ...known.positionals.filter(({ name, required }) => required === true && isAbsent(positionals[name])).map(positionalText),
  ];
  if (missing.length > 0) {
    throw new UsageError("missing_required", `missing ${listed(missing, "and")}`, `Run \`${called} --help\` for its usage.`);
  }
  for (const constraint of known.command.constraints ?? []) {
    checkConstraint(known, constraint, given);
  }
  return { options: valuesOf(known, given), positionals, passthrough };
}

function isAbsent(value: string | string[] | undefined): boolean {
  return value === undefined || value.length === 0;
}

/** Walks over the arguments once and sorts them. */
class Reader {
  readonly given = new Map<string, unknown>();
  readonly words: string[] = [];
  passthrough: string[] = [];
  private next = 0;

  constructor(
    private readonly known: KnownCommand,
    private readonly argv: readonly string[],
  ) {}

  readAll(): void {
    while (this.next < this.argv.length) {
      const argument = this.argv[this.next++] as string;
      if (argument === "--") {
        const rest = this.argv.slice(this.next);
        if (this.known.command.passthrough === true) {
          this.passthrough = rest;
        } else {
          this.words.push(...rest);
        }
        return;
      }
      if (argument.startsWith("--")) {
        this.readLong(argument);
      } else if (isOption(argument)) {
        this.readShort(argument);
      } else {
        this.words.push(argument);
      }
    }
  }

  private readLong(argument: string): void {
    const equals = argument.indexOf("=");
    const name = argument.slice(2, equals < 0 ? undefined : equals);
    const value = equals < 0 ? null : argument.slice(equals + 1);
    const known = this.known.byName.get(name);
    if (known !== undefined) {
      this.take(known, `--${name}`, value);
      return;
    }
    const negated = name.startsWith("no-") ? this.known.byName.get(name.slice(3)) : undefined;
    if (negated?.option.type === "boolean" && value === null) {
      this.given.set(negated.key, false);
      return;
    }
    throw this.unknown(name);
  }

  /** `-f value`, `-f=value`, and several booleans in one: `-ab`. */
  private readShort(argument: string): void {
    const equals = argument.indexOf("=");
    const letters = argument.slice(1, equals < 0 ? undefined : equals);
    const value = equals < 0 ? null : argument.slice(equals + 1);
    for (let index = 0; index < letters.length; index++) {
      const letter = letters[index] as string;
      const known = this.known.byShort.get(letter);
      if (known === undefined) {
        throw new UsageError("unknown_option", `unknown option -${letter}`, this.helpHint());
      }
      const last = index === letters.length - 1;
      if (!last && known.option.type !== "boolean") {
        throw new UsageError("invalid_value", `-${letter} needs a value: write it as -${letter} <value>`);
      }
      this.take(known, `-${letter}`, last ? value : null);
    }
  }

  private take(known: KnownOption, spelling: string, value: string | null): void {
    const { key, option } = known;
    if (option.type === "boolean") {
      if (value !== null && value !== "true" && value !== "false") {
        throw new UsageError("invalid_value", `${spelling} is true or false, got "${value}"`);
      }
      this.given.set(key, value !== "false");
      return;
    }
    const text = value ?? this.takeNext(spelling);
    const read = readValue(spelling, option, text);
    if (option.type === "string" && isList(option)) {
      if (option.repeatable !== true) {
        this.refuseTwice(key, spelling);
      }
      this.given.set(key, [...((this.given.get(key) as string[] | undefined) ?? []), ...[read].flat()]);
    } else {
      this.refuseTwice(key, spelling);
      this.given.set(key, read);
    }
  }

  private takeNext(spelling: string): string {
    const text = this.argv[this.next];
    if (text === undefined || (isOption(text) && !/^-\d/.test(text))) {
      throw new UsageError(
        "invalid_value",
        `${spelling} needs a value`,
        text === undefined || text === "--" ? null : `A value that begins with "-" is written as ${spelling}=${text}.`,
      );
    }
    this.next++;
    return text;
  }

  private refuseTwice(key: string, spelling: string): void {
    if (this.given.has(key)) {
      throw new UsageError("invalid_value", `${spelling} is given more than once`);
    }
  }

  private unknown(name: string): UsageError {
    const piped = name.endsWith("-stdin") ? this.known.byName.get(name.slice(0, -6)) : undefined;
    if (piped?.option.stdin === true) {
      return new UsageError("invalid_value", `--${name} is read by svc from a pipe, before any "--"; pipe one line into it`);
    }
    const shown = this.known.options.filter(({ option }) => option.hidden !== true);
    const meant = nearest(name, [...shown.flatMap(({ flag, option }) => [flag.slice(2), ...(option.aliases ?? [])]), "help"]);
    return new UsageError("unknown_option", `unknown option --${name}`, meant === null ? this.helpHint() : `Did you mean --${meant}?`);
  }

  private helpHint(): string | null {
    const shown = this.known.options.filter(({ option }) => option.hidden !== true).map(({ flag }) => flag);
    return `Options: ${listed(shown, "and")}.`;
  }
}

function isOption(argument: string): boolean {
  return argument.length > 1 && argument.startsWith("-");
}

function assign(known: KnownCommand, words: readonly string[], called: string): ParsedArguments["positionals"] {
  const out: ParsedArguments["positionals"] = {};
  let next = 0;
  for (const { name, variadic } of known.positionals) {
    if (variadic === true) {
      out[name] = words.slice(next);
      next = words.length;
    } else {
      out[name] = words[next++];
    }
  }
  if (next < words.length) {
    throw new UsageError("unexpected_argument", `unexpected argument "${words[next]}"`, `Run \`${called} --help\` for its usage.`);
  }
  return out;
}

function valuesOf(known: KnownCommand, given: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { key, option } of known.options) {
    if (given.has(key)) {
      out[key] = given.get(key);
    } else if (option.type === "boolean") {
      out[key] = false;
    } else if (option.default !== undefined) {
      out[key] = Array.isArray(option.default) ? [...option.default] : option.default;
    } else {
      out[key] = isList(option) ? [] : undefined;
    }
  }
  return out;
}

function checkConstraint(known: KnownCommand, constraint: CliConstraint, given: ReadonlyMap<string, unknown>): void {
  const flag = (key: string): string => known.options.find((option) => option.key === key)?.flag ?? key;
  if (constraint.kind === "requires") {
    const missing = constraint.requires.filter((key) => !given.has(key));
    if (given.has(constraint.option) && missing.length > 0) {
      throw new UsageError("missing_required", `${flag(constraint.option)} needs ${listed(missing.map(flag), "and")} as well`);
    }
    return;
  }
  const flags = constraint.options.map(flag);
  const present = constraint.options.filter((key) => given.has(key)).map(flag);
  if (constraint.kind !== "at-least-one" && present.length > 1) {
    throw new UsageError("invalid_value", `${listed(present, "and")} cannot be used together`);
  }
  if (constraint.kind !== "at-most-one" && present.length === 0) {
    throw new UsageError("missing_required", `give ${constraint.kind === "exactly-one" ? "one" : "at least one"} of ${listed(flags)}`);
  }
}
