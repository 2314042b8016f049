import type { PluginCliContext, PluginCliResult } from "../cli.js";
import type { MaybePromise } from "../json.js";

interface OptionBase {
  /** One line for the help. */
  description?: string;
  /** Further long names, without the dashes. */
  aliases?: readonly string[];
  /** One letter: `short: "f"` is `-f`. `h` is taken. */
  short?: string;
  /** Works, but is not shown. */
  hidden?: boolean;
  /** What stands for the value in the help; default: the name. */
  placeholder?: string;
  /** The help mentions `--<name>-stdin`, with which `svc` reads the value from a pipe (one line, up to 16 KiB). */
  stdin?: boolean;
}

interface ValueBase<T> extends OptionBase {
  required?: boolean;
  /** The value when it is left out; not together with `required`. */
  default?: T;
}

/** A switch. It has no `required` and no `default`. */
export interface CliBooleanOption extends OptionBase {
  /** `--name`, `--no-name`, `--name=true`, `--name=false`. False when left out. */
  type: "boolean";
}

/** An option whose value is any text. */
export interface CliStringOption extends ValueBase<string | readonly string[]> {
  type: "string";
  /** May be given several times; the value is an array, empty when left out. */
  repeatable?: boolean;
  /** Splits every value at this text (true: a comma), without empty parts; the value is an array. */
  split?: boolean | string;
}

/** An option whose value is a whole number. Others, and those outside of `min` and `max`, are refused (`invalid_value`). */
export interface CliIntegerOption extends ValueBase<number> {
  type: "integer";
  min?: number;
  max?: number;
}

/** An option whose value is one of `values`. Others are refused (`invalid_value`), with a suggestion when one is near. */
export interface CliEnumOption extends ValueBase<string> {
  type: "enum";
  values: readonly string[];
}

/** Milliseconds, seconds, minutes, hours, days, weeks. */
export type CliDurationUnit = "ms" | "s" | "m" | "h" | "d" | "w";

/** `90s`, `1h30m`, `1.5 days`; the value is in milliseconds. */
export interface CliDurationOption extends ValueBase<number> {
  type: "duration";
  /** The unit of a number without one; by default such a number is refused. */
  defaultUnit?: CliDurationUnit;
  /** A unit without a number counts once: `--every day`. */
  bareUnits?: boolean;
  /** Milliseconds. */
  min?: number;
  /** Milliseconds. */
  max?: number;
}

/** An option `--<key>` in lower-case words: the key `dryRun` is `--dry-run`. `help` and the letter `h` are taken. */
export type CliOption = CliBooleanOption | CliStringOption | CliIntegerOption | CliEnumOption | CliDurationOption;

/** An argument that is known by its place. Values are texts. */
export interface CliPositional {
  /** As the help shows it and as `positionals` has it. */
  name: string;
  description: string;
  /** An optional one is not followed by a required one. */
  required?: boolean;
  /** Takes all that follow; only the last one. The value is an array. */
  variadic?: boolean;
}

/** Rules between options, by their keys. An option counts as given when it stands in the command line. */
export type CliConstraint<K extends string = string> =
  { kind: "exactly-one" | "at-most-one" | "at-least-one"; options: readonly K[] } | { kind: "requires"; option: K; requires: readonly K[] };

/** Options by key, as a command declares them. */
export type CliOptions = Readonly<Record<string, CliOption>>;
/** Arguments by place, as a command declares them. */
export type CliPositionals = readonly CliPositional[];

type IsList<O> = O extends { repeatable: true } ? true : O extends { split: true | string } ? true : false;
type ValueOf<O> = O extends { type: "boolean" }
  ? boolean
  : O extends { type: "integer" | "duration" }
    ? number
    : O extends { type: "enum"; values: readonly (infer V)[] }
      ? V
      : string;
type Always<O> = O extends { required: true } | { default: string | number | readonly string[] } ? true : false;

/** What `run` gets for an option. */
export type CliOptionValue<O> = O extends { type: "boolean" }
  ? boolean
  : IsList<O> extends true
    ? string[]
    : Always<O> extends true
      ? ValueOf<O>
      : ValueOf<O> | undefined;

/** What `run` gets as `options`: a value for each declared option, by its key. */
export type CliOptionValues<O extends CliOptions> = { [K in keyof O]: CliOptionValue<O[K]> } & {
  /** `--json` is accepted by every command. */
  json: boolean;
};

/** What `run` gets as `positionals`, by name: an array for a variadic one, undefined for an optional one that was left out. */
export type CliPositionalValues<P extends CliPositionals> = {
  [Q in P[number] as Q["name"]]: Q extends { variadic: true } ? string[] : Q extends { required: true } ? string : string | undefined;
};

/** A command line that was understood, as `run` gets it. */
export interface CliArguments<O extends CliOptions = CliOptions, P extends CliPositionals = CliPositionals> {
  options: CliOptionValues<O>;
  positionals: CliPositionalValues<P>;
  /** What followed `--`; empty without `passthrough`, where it belongs to the positionals. */
  passthrough: string[];
  /** The help text of this command. */
  help(): string;
}

/** Text is standard output with exit code 0, nothing is success without output. */
export type CliOutcome = string | undefined | void | (Omit<PluginCliResult, "exitCode"> & { exitCode?: number });

/** One command of `defineCli`: what it takes, what its help says, and what it does. */
export interface CliCommand<O extends CliOptions = CliOptions, P extends CliPositionals = CliPositionals> {
  /** One line that says what it does. */
  summary: string;
  /** More, for its own help. */
  description?: string;
  /** Other names, as full as the command's own: `"label rm"`. */
  aliases?: readonly string[];
  /** Names people try instead: they are refused with this command as the suggestion. */
  suggestFor?: readonly string[];
  /** Works, but is not shown. */
  hidden?: boolean;
  options?: O;
  positionals?: P;
  constraints?: readonly CliConstraint<Extract<keyof O, string>>[];
  /** Hands what follows `--` to the command as it is. */
  passthrough?: boolean;
  /**
   * Throw `PluginCliError` for a failure the user can do something about. Any other error fails the command too
   * (`command_failed`, exit code 1) and goes to the plugin's log with its stack.
   */
  run(args: CliArguments<O, P>, context: PluginCliContext): MaybePromise<CliOutcome>;
}

/** A command of any options, as `defineCli` takes it: wrap it in `cliCommand` to have them typed. */
export type AnyCliCommand = CliCommand<any, any>;

/** A whole `svc <name> …`, as `defineCli` takes it. */
export interface CliDefinition {
  /** One word of lower-case letters, digits and `-`; normally the plugin id. */
  name: string;
  summary: string;
  /** More, for the help. */
  description?: string;
  /** Runs when the first word is no command. Without it `svc <name>` shows the help. */
  root?: AnyCliCommand;
  /** By name: one or more words, `"add"`, `"label add"`. */
  commands: Readonly<Record<string, AnyCliCommand>>;
  /** Exit code of a command line that cannot be understood. Default 2. */
  usageErrorExitCode?: number;
}
