import { refuse } from "./errors.js";
import { flagOf } from "./names.js";
import type { AnyCliCommand, CliDefinition, CliOption, CliPositional, CliPositionals } from "./types.js";
import { isList } from "./values.js";

/** An option with the spellings it answers to. */
export interface KnownOption {
  readonly key: string;
  /** `--dry-run` */
  readonly flag: string;
  readonly option: CliOption;
}

/** A command that has been checked, with its options by spelling. */
export interface KnownCommand {
  /** Words; empty for the root. */
  readonly path: string;
  readonly command: AnyCliCommand;
  readonly options: readonly KnownOption[];
  readonly positionals: CliPositionals;
  /** Without the dashes. */
  readonly byName: ReadonlyMap<string, KnownOption>;
  readonly byShort: ReadonlyMap<string, KnownOption>;
}

export interface KnownCli {
  readonly definition: CliDefinition;
  readonly root: KnownCommand | null;
  /** In the order given. */
  readonly commands: readonly KnownCommand[];
  /** Every name and alias. */
  readonly byPath: ReadonlyMap<string, KnownCommand>;
}

const WORD = /^[a-z0-9-]+$/;
const PATH = /^[a-z0-9-]+( [a-z0-9-]+)*$/;
const KEY = /^[a-z][a-zA-Z0-9]*(-[a-z0-9]+)*$/;
const JSON_OPTION: CliOption = { type: "boolean", description: "Print a failure as JSON as well" };

/** Checks a definition as a whole. */
export function checkCli(definition: CliDefinition): KnownCli {
  if (typeof definition !== "object" || definition === null) {
    refuse("the definition must be an object");
  }
  const { name, summary, root, commands, usageErrorExitCode: exitCode = 2 } = definition;
  if (typeof name !== "string" || !WORD.test(name)) {
    refuse('name must be one word of a-z, 0-9 and "-"');
  }
  checkSummary("summary", summary);
  if (!Number.isInteger(exitCode) || exitCode < 1 || exitCode > 255) {
    refuse("usageErrorExitCode must be an integer from 1 to 255");
  }
  if (typeof commands !== "object" || commands === null || Array.isArray(commands)) {
    refuse("commands must be an object of commands");
  }
  const known: KnownCommand[] = [];
  const byPath = new Map<string, KnownCommand>();
  for (const [path, command] of Object.entries(commands)) {
    const checked = checkCommand(path, command);
    known.push(checked);
    for (const each of [path, ...(command.aliases ?? [])]) {
      if (typeof each !== "string" || !PATH.test(each)) {
        refuse(`the command name "${String(each)}" must be words of a-z, 0-9 and "-" separated by single spaces`);
      }
      if (byPath.has(each)) {
        refuse(`duplicate name "${each}"`);
      }
      byPath.set(each, checked);
    }
  }
  if (root === undefined && known.length === 0) {
    refuse("there is neither a command nor a root");
  }
  return { definition, root: root === undefined ? null : checkCommand("", root), commands: known, byPath };
}

function checkSummary(what: string, summary: unknown): void {
  if (typeof summary !== "string" || summary.trim() === "" || summary.includes("\n")) {
    refuse(`${what} must be one non-blank line`);
  }
}

function checkCommand(path: string, command: AnyCliCommand): KnownCommand {
  const of = path === "" ? "of the root" : `of "${path}"`;
  if (typeof command !== "object" || command === null) {
    refuse(`the command "${path}" must be an object`);
  }
  checkSummary(`the summary ${of}`, command.summary);
  if (typeof command.run !== "function") {
    refuse(`run ${of} must be a function`);
  }
  const positionals = (command.positionals ?? []) as CliPositionals;
  checkPositionals(of, positionals);
  const given = Object.entries((command.options ?? {}) as Record<string, CliOption>);
  const options = given.map(([key, option]) => ({ key, flag: `--${flagOf(key)}`, option }));
  if (!options.some(({ flag }) => flag === "--json")) {
    options.push({ key: "json", flag: "--json", option: JSON_OPTION });
  }
  const known = { path, command, options, positionals, ...spellings(of, options) };
  checkConstraints(of, known);
  return known;
}

function spellings(of: string, options: readonly KnownOption[]) {
  const byName = new Map<string, KnownOption>();
  const byShort = new Map<string, KnownOption>();
  const add = (map: Map<string, KnownOption>, spelling: string, option: KnownOption): void => {
    const shown = `${map === byShort ? "-" : "--"}${spelling}`;
    if (shown === "--help" || shown === "-h") {
      refuse(`an option ${of} is called ${shown}, which shows the help`);
    }
    if (map.has(spelling)) {
      refuse(`two options ${of} are called ${shown}`);
    }
    map.set(spelling, option);
  };
  for (const known of options) {
    checkOption(of, known);
    const { flag, option } = known;
    for (const name of [flag.slice(2), ...(option.aliases ?? [])]) {
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
        refuse(`the option name "${name}" ${of} must be words of a-z and 0-9 joined by "-"`);
      }
      add(byName, name, known);
    }
    if (option.short !== undefined) {
      if (!/^[a-zA-Z]$/.test(option.short)) {
        refuse(`short of option "${known.key}" ${of} must be one letter`);
      }
      add(byShort, option.short, known);
    }
  }
  return { byName, byShort };
}

const TYPES = ["boolean", "string", "integer", "enum", "duration"];

function checkOption(of: string, { key, flag, option }: KnownOption): void {
  const what = `option "${key}" ${of}`;
  if (!KEY.test(key)) {
    refuse(`the name of ${what} must begin with a small letter and have letters, digits and "-" only`);
  }
  if (typeof option !== "object" || option === null || !TYPES.includes(option.type)) {
    refuse(`type of ${what} must be ${TYPES.join(", ")}`);
  }
  if (flag === "--json" && option.type !== "boolean") {
    refuse(`${what} must be a boolean: every command accepts --json`);
  }
  if (option.type === "boolean") {
    return;
  }
  if (option.type === "enum" && (!Array.isArray(option.values) || option.values.length === 0)) {
    refuse(`values of ${what} must be a non-empty array of strings`);
  }
  if (option.required === true && option.default !== undefined) {
    refuse(`${what} is required and has a default`);
  }
  checkDefault(what, option);
}

function checkDefault(what: string, option: Exclude<CliOption, { type: "boolean" }>): void {
  const { type, default: value } = option;
  if (value === undefined) {
    return;
  }
  if (type === "string") {
    const list = isList(option);
    if (list !== Array.isArray(value)) {
      refuse(`the default of ${what} must be ${list ? "an array" : "a string"}`);
    }
  } else if (type === "enum") {
    if (!option.values.includes(value)) {
      refuse(`the default of ${what} must be one of its values`);
    }
  } else if (!Number.isSafeInteger(value)) {
    refuse(`the default of ${what} must be a whole number`);
  }
}

function checkPositionals(of: string, positionals: CliPositionals): void {
  const names = new Set<string>();
  positionals.forEach(({ name, required, variadic }: CliPositional, index) => {
    if (typeof name !== "string" || name.trim() === "") {
      refuse(`a positional ${of} has no name`);
    }
    if (names.has(name)) {
      refuse(`duplicate name "${name}" among the positionals ${of}`);
    }
    names.add(name);
    if (variadic === true && index < positionals.length - 1) {
      refuse(`the variadic positional "${name}" ${of} must be the last one`);
    }
    if (required === true && index > 0 && positionals[index - 1]?.required !== true) {
      refuse(`the required positional "${name}" ${of} follows an optional one`);
    }
  });
}

function checkConstraints(of: string, { command, options }: Pick<KnownCommand, "command" | "options">): void {
  for (const constraint of command.constraints ?? []) {
    const keys = constraint.kind === "requires" ? [constraint.option, ...constraint.requires] : constraint.options;
    if (!["exactly-one", "at-most-one", "at-least-one", "requires"].includes(constraint.kind)) {
      refuse(`a constraint ${of} has the unknown kind "${String(constraint.kind)}"`);
    }
    const stranger = keys.find((key: string) => !options.some((known) => known.key === key));
    if (stranger !== undefined) {
      refuse(`a constraint ${of} names the option "${stranger}", which it does not have`);
    }
  }
}
