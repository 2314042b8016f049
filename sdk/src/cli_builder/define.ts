import type { PluginCliContext, PluginCliRegistration, PluginCliResult } from "../cli.js";
import { type PluginCliError, UsageError } from "./errors.js";
import { calledAs, commandHelp, groupHelp, usageOf } from "./help.js";
import { nearest } from "./names.js";
import { parseArguments } from "./parse.js";
import { checkCli, type KnownCli, type KnownCommand } from "./table.js";
import type { CliArguments, CliCommand, CliDefinition, CliOptions, CliOutcome, CliPositionals } from "./types.js";

/**
 * A command with its options and positionals typed in `run`. Returns its argument.
 *
 * ```ts
 * const add = cliCommand({
 *   summary: "Add a todo",
 *   options: { due: { type: "duration", description: "When" } },
 *   positionals: [{ name: "title", description: "What to do", required: true }],
 *   run: ({ options, positionals }) => `added ${positionals.title}, due in ${options.due ?? 0} ms`,
 * });
 * ```
 */
export function cliCommand<const O extends CliOptions = {}, const P extends CliPositionals = []>(
  command: CliCommand<O, P>,
): CliCommand<O, P> {
  return command;
}

/**
 * Makes a registration for `svc.cli.register` out of commands with options: it parses the command line, checks it,
 * answers `--help` at every level and prints failures. The definition is checked as a whole when this is called.
 *
 * @throws TypeError when the definition is wrong.
 */
export function defineCli(definition: CliDefinition): PluginCliRegistration {
  const cli = checkCli(definition);
  return {
    name: definition.name,
    summary: definition.summary,
    commands: cli.commands
      .filter(({ command }) => command.hidden !== true)
      .map((known) => ({ name: known.path, summary: known.command.summary, usage: usageOf(cli, known) })),
    rendersHelp: true,
    run: (argv, context) => run(cli, argv, context),
  };
}

async function run(cli: KnownCli, argv: readonly string[], context: PluginCliContext): Promise<PluginCliResult> {
  const { before, json, help } = scan(argv);
  try {
    const { words, rest } = leadingWords(argv);
    const found = resolve(cli, words);
    if (found === null) {
      const group = groupOf(cli, words);
      if (help && group === words.length) {
        return succeed(groupHelp(cli, words.join(" ")));
      }
      if (before === 0 || group === words.length) {
        return withoutCommand(cli, words.join(" "), rest);
      }
      throw unknownCommand(cli, words, group);
    }
    const { known, taken } = found;
    if (help) {
      return succeed(known.path === "" ? groupHelp(cli, "") : commandHelp(cli, known));
    }
    return await runCommand(cli, known, [...words.slice(taken), ...rest], context);
  } catch (error) {
    if (context.signal.aborted) {
      throw error;
    }
    return failed(cli, error, json);
  }
}

/** What the arguments before `--` say about the call as a whole. */
function scan(argv: readonly string[]): { before: number; json: boolean; help: boolean } {
  const end = argv.indexOf("--");
  const before = end < 0 ? argv : argv.slice(0, end);
  const json = before.some((argument) => argument === "--json" || argument === "--json=true");
  return { before: before.length, json, help: before.includes("--help") || before.includes("-h") };
}

/** The words at the start, where the name of the command stands; `--json` and a call for help may stand among them. */
function leadingWords(argv: readonly string[]): { words: string[]; rest: string[] } {
  const words: string[] = [];
  const flags: string[] = [];
  let index = 0;
  for (; index < argv.length; index++) {
    const argument = argv[index] as string;
    if (argument === "--json") {
      flags.push(argument);
    } else if (argument === "--help" || argument === "-h") {
      continue;
    } else if (argument.startsWith("-")) {
      break;
    } else {
      words.push(argument);
    }
  }
  return { words, rest: [...flags, ...argv.slice(index)] };
}

/** The command with the most leading words, else the root when it may be meant. */
function resolve(cli: KnownCli, words: readonly string[]): { known: KnownCommand; taken: number } | null {
  for (let taken = words.length; taken > 0; taken--) {
    const known = cli.byPath.get(words.slice(0, taken).join(" "));
    if (known !== undefined) {
      return { known, taken };
    }
  }
  const { root } = cli;
  const mayTakeWords = root !== null && root.positionals.length > 0;
  return root !== null && (words.length === 0 || (mayTakeWords && groupOf(cli, words) === 0)) ? { known: root, taken: 0 } : null;
}

/** How many of the words begin the name of some command. */
function groupOf(cli: KnownCli, words: readonly string[]): number {
  let length = 0;
  while (length < words.length) {
    const prefix = `${words.slice(0, length + 1).join(" ")} `;
    if (![...cli.byPath.keys()].some((path) => path.startsWith(prefix))) {
      break;
    }
    length++;
  }
  return length;
}

function withoutCommand(cli: KnownCli, group: string, rest: readonly string[]): PluginCliResult {
  const stray = rest.find((argument) => argument !== "--json");
  if (stray === undefined) {
    return succeed(groupHelp(cli, group));
  }
  const called = calledAs(cli, group);
  throw new UsageError(
    "unknown_option",
    `${called} has no option ${stray} without a command`,
    `Run \`${called} --help\` for its commands.`,
  );
}

function unknownCommand(cli: KnownCli, words: readonly string[], group: number): UsageError {
  const prefix = words.slice(0, group).join(" ");
  const typed = words[group] as string;
  const full = words.slice(0, group + 1).join(" ");
  const shown = cli.commands.filter(({ command }) => command.hidden !== true);
  const listed = shown.find(({ command }) => [full, typed].some((each) => command.suggestFor?.includes(each)));
  const meant =
    listed?.path ??
    nearestIn(
      prefix,
      typed,
      shown.flatMap(({ path, command }) => [path, ...(command.aliases ?? [])]),
    );
  return new UsageError(
    "unknown_command",
    `unknown command "${full}"`,
    meant === null ? `Run \`${calledAs(cli, prefix)} --help\` for its commands.` : `Did you mean \`${calledAs(cli, meant)}\`?`,
  );
}

/** The nearest next word among the names that begin with `prefix`, as a name. */
function nearestIn(prefix: string, typed: string, names: readonly string[]): string | null {
  const start = prefix === "" ? "" : `${prefix} `;
  const next = names.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length).split(" ")[0] as string);
  const meant = nearest(typed, next);
  return meant === null ? null : start + meant;
}

async function runCommand(
  cli: KnownCli,
  known: KnownCommand,
  argv: readonly string[],
  context: PluginCliContext,
): Promise<PluginCliResult> {
  const parsed = parseArguments(known, argv, calledAs(cli, known.path));
  const help = (): string => (known.path === "" ? groupHelp(cli, "") : commandHelp(cli, known));
  const outcome = (await known.command.run({ ...parsed, help } as CliArguments, context)) as CliOutcome;
  if (outcome === undefined) {
    return succeed("");
  }
  return typeof outcome === "string" ? succeed(outcome) : { ...outcome, exitCode: outcome.exitCode ?? 0 };
}

function succeed(stdout: string): PluginCliResult {
  return { exitCode: 0, stdout };
}

interface Failure {
  code: string;
  message: string;
  hint: string | null;
}

function failed(cli: KnownCli, error: unknown, json: boolean): PluginCliResult {
  const { exitCode, ...failure } = describe(cli, error);
  const hint = failure.hint === null ? "" : `${failure.hint}\n`;
  const stderr = `error: ${failure.message}\n${hint}`;
  return json ? { exitCode, stderr, stdout: `${JSON.stringify({ ok: false, error: failure })}\n` } : { exitCode, stderr };
}

function describe(cli: KnownCli, error: unknown): Failure & { exitCode: number } {
  if (error instanceof UsageError) {
    const { code, message, hint } = error;
    return { code, message, hint, exitCode: cli.definition.usageErrorExitCode ?? 2 };
  }
  if (isCliError(error)) {
    const { code, message, hint, exitCode } = error;
    return { code, message, hint: hint ?? null, exitCode };
  }
  // The user gets the message, the plugin's log the stack.
  console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return { code: "command_failed", message, hint: null, exitCode: 1 };
}

/** By name: a dependency may carry another copy of the SDK. */
function isCliError(error: unknown): error is PluginCliError {
  return typeof error === "object" && error !== null && (error as { name?: unknown }).name === "PluginCliError";
}
