export { cliCommand, defineCli } from "./define.js";
export { type CliErrorCode, PluginCliError, type PluginCliErrorOptions } from "./errors.js";
export type {
  AnyCliCommand,
  CliArguments,
  CliBooleanOption,
  CliCommand,
  CliConstraint,
  CliDefinition,
  CliDurationOption,
  CliDurationUnit,
  CliEnumOption,
  CliIntegerOption,
  CliOption,
  CliOptions,
  CliOptionValue,
  CliOptionValues,
  CliOutcome,
  CliPositional,
  CliPositionals,
  CliPositionalValues,
  CliStringOption,
} from "./types.js";
