import assert from "node:assert/strict";
import { test } from "node:test";

import { cliCommand, defineCli, PluginCliError } from "@get-svc/plugin-sdk";

const context = () => ({ signal: new AbortController().signal });
const nothing = { summary: "Nothing", run: () => undefined };

/** A command line with one command "go" and what its run got. */
function going(command, rest = {}) {
  const seen = {};
  const cli = defineCli({
    name: "trip",
    summary: "Trips",
    commands: { go: { summary: "Go", run: (args) => void Object.assign(seen, args), ...command } },
    ...rest,
  });
  return { seen, cli, go: (...argv) => cli.run(["go", ...argv], context()) };
}

async function optionsOf(options, ...argv) {
  const { seen, go } = going({ options });
  const result = await go(...argv);
  assert.equal(result.exitCode, 0, result.stderr);
  return seen.options;
}

/** The failure of a command line, from its --json answer. */
async function failureOf(cli, argv) {
  const result = await cli.run(["--json", ...argv], context());
  const { ok, error } = JSON.parse(result.stdout);
  assert.equal(ok, false);
  assert.deepEqual(Object.keys(error), ["code", "message", "hint"]);
  assert.equal(result.stderr, `error: ${error.message}\n${error.hint === null ? "" : `${error.hint}\n`}`);
  return { ...error, exitCode: result.exitCode };
}

async function optionFailure(options, ...argv) {
  return failureOf(going({ options }).cli, ["go", ...argv]);
}

const wrong = (code, message, hint = null) => ({ code, message, hint, exitCode: 2 });

test("the registration is what svc.cli.register takes", () => {
  const cli = defineCli({
    name: "todo",
    summary: "A todo list",
    description: "Longer",
    root: nothing,
    commands: {
      add: {
        ...nothing,
        summary: "Add a todo",
        options: { due: { type: "string", required: true }, note: { type: "string" } },
        positionals: [{ name: "title", description: "What", required: true, variadic: true }],
        passthrough: true,
      },
      "label list": { ...nothing, summary: "List labels", positionals: [{ name: "filter", description: "Part" }] },
      debug: { ...nothing, hidden: true },
    },
  });
  assert.deepEqual(Object.keys(cli).sort(), ["commands", "name", "rendersHelp", "run", "summary"]);
  assert.equal(cli.name, "todo");
  assert.equal(cli.summary, "A todo list");
  assert.equal(cli.rendersHelp, true);
  assert.deepEqual(cli.commands, [
    { name: "add", summary: "Add a todo", usage: "svc todo add <title…> --due <due> [options] [-- …]" },
    { name: "label list", summary: "List labels", usage: "svc todo label list [filter]" },
  ]);
});

test("cliCommand returns its argument", () => {
  assert.equal(cliCommand(nothing), nothing);
});

test("what a command returns becomes the result", async () => {
  for (const [outcome, result] of [
    [undefined, { exitCode: 0, stdout: "" }],
    ["done", { exitCode: 0, stdout: "done" }],
    [
      { stdout: "a", stderr: "b" },
      { exitCode: 0, stdout: "a", stderr: "b" },
    ],
    [{ exitCode: 3 }, { exitCode: 3 }],
  ]) {
    assert.deepEqual(await going({ run: async () => outcome }).go(), result);
  }
});

test("run gets the context of the call", async () => {
  const given = context();
  let seen;
  const cli = defineCli({ name: "a", summary: "A", commands: { go: { summary: "Go", run: (_args, ctx) => void (seen = ctx) } } });
  await cli.run(["go"], given);
  assert.equal(seen, given);
});

test("the command with the most words wins, aliases included", async () => {
  const calls = [];
  const command = (name, more = {}) => ({
    summary: name,
    positionals: [{ name: "rest", description: "Rest", variadic: true }],
    run: ({ positionals }) => void calls.push([name, positionals.rest]),
    ...more,
  });
  const cli = defineCli({
    name: "todo",
    summary: "Todos",
    commands: {
      label: command("label"),
      "label add": command("label add", { aliases: ["tag", "label new"] }),
    },
  });
  for (const argv of [
    ["label", "x"],
    ["label", "add", "x"],
    ["label", "new", "x"],
    ["tag", "x"],
  ]) {
    await cli.run(argv, context());
  }
  assert.deepEqual(calls, [
    ["label", ["x"]],
    ["label add", ["x"]],
    ["label add", ["x"]],
    ["label add", ["x"]],
  ]);
});

test("the root runs when no command is named", async () => {
  let seen;
  const root = { summary: "Root", options: { all: { type: "boolean" } }, run: ({ options }) => void (seen = options.all) };
  const cli = defineCli({ name: "todo", summary: "Todos", root, commands: { add: nothing } });
  await cli.run(["--all"], context());
  assert.equal(seen, true);
  assert.equal((await failureOf(cli, ["ad"])).hint, "Did you mean `svc todo add`?");
});

test("a root with positionals takes words that are no command", async () => {
  let seen;
  const root = {
    summary: "Root",
    positionals: [{ name: "word", description: "Word" }],
    run: ({ positionals }) => void (seen = positionals.word),
  };
  const cli = defineCli({ name: "todo", summary: "Todos", root, commands: { "label add": nothing } });
  await cli.run(["hello"], context());
  assert.equal(seen, "hello");
  assert.equal((await failureOf(cli, ["label", "ad"])).code, "unknown_command");
});

test("booleans can be given, negated and combined", async () => {
  const options = { all: { type: "boolean", short: "a" }, dryRun: { type: "boolean", short: "n", aliases: ["try"] } };
  assert.deepEqual(await optionsOf(options), { all: false, dryRun: false, json: false });
  assert.deepEqual(await optionsOf(options, "-an", "--json"), { all: true, dryRun: true, json: true });
  assert.deepEqual(await optionsOf(options, "--dry-run", "--no-dry-run", "--all=true"), { all: true, dryRun: false, json: false });
  assert.deepEqual(await optionsOf(options, "--try", "--all=false"), { all: false, dryRun: true, json: false });
  assert.deepEqual(await optionFailure(options, "--all=yes"), wrong("invalid_value", '--all is true or false, got "yes"'));
});

test("strings come once, repeated, or split", async () => {
  const options = {
    due: { type: "string", short: "d" },
    place: { type: "string", default: "home" },
    tag: { type: "string", repeatable: true },
    to: { type: "string", split: true },
    path: { type: "string", split: ":", repeatable: true, default: ["x"] },
  };
  assert.deepEqual(await optionsOf(options), { due: undefined, place: "home", tag: [], to: [], path: ["x"], json: false });
  const given = await optionsOf(
    options,
    "-d",
    "now",
    "--place=",
    "--tag",
    "a,b",
    "--tag=c",
    "--to",
    "a, b,,c",
    "--path",
    "a:b",
    "--path",
    "c",
  );
  assert.deepEqual(given, { due: "now", place: "", tag: ["a,b", "c"], to: ["a", "b", "c"], path: ["a", "b", "c"], json: false });
  assert.deepEqual(await optionFailure(options, "--due", "a", "-d", "b"), wrong("invalid_value", "-d is given more than once"));
  assert.deepEqual(await optionFailure(options, "--to", "a", "--to", "b"), wrong("invalid_value", "--to is given more than once"));
});

test("a value that looks like an option is written with an equals sign", async () => {
  const options = { text: { type: "string" }, count: { type: "integer" } };
  assert.equal((await optionsOf(options, "--text=--x")).text, "--x");
  assert.equal((await optionsOf(options, "--count", "-3")).count, -3);
  assert.equal((await optionsOf(options, "--text", "-")).text, "-");
  assert.deepEqual(
    await optionFailure(options, "--text", "--x"),
    wrong("invalid_value", "--text needs a value", 'A value that begins with "-" is written as --text=--x.'),
  );
  assert.deepEqual(await optionFailure(options, "--text"), wrong("invalid_value", "--text needs a value"));
});

test("integers are whole numbers within their bounds", async () => {
  const options = { count: { type: "integer", min: 1, max: 10, default: 5, short: "c" } };
  assert.equal((await optionsOf(options)).count, 5);
  assert.equal((await optionsOf(options, "-c=7")).count, 7);
  for (const text of ["1.5", "x", "", "0x10", "1e3", "99999999999999999999"]) {
    assert.deepEqual(
      await optionFailure(options, `--count=${text}`),
      wrong("invalid_value", `--count needs a whole number, got "${text}"`),
    );
  }
  assert.deepEqual(await optionFailure(options, "--count", "0"), wrong("invalid_value", "--count must be at least 1, got 0"));
  assert.deepEqual(await optionFailure(options, "--count", "11"), wrong("invalid_value", "--count must be at most 10, got 11"));
});

test("an enum has one of its values", async () => {
  const options = { sort: { type: "enum", values: ["name", "date", "size"] } };
  assert.equal((await optionsOf(options, "--sort", "date")).sort, "date");
  assert.equal((await optionsOf(options)).sort, undefined);
  assert.deepEqual(
    await optionFailure(options, "--sort", "dtae"),
    wrong("invalid_value", '--sort must be name, date or size, got "dtae"', "Did you mean --sort date?"),
  );
  assert.deepEqual(
    await optionFailure(options, "--sort", "weight"),
    wrong("invalid_value", '--sort must be name, date or size, got "weight"'),
  );
});

test("durations are milliseconds", async () => {
  const options = { every: { type: "duration" } };
  for (const [text, value] of [
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["2 days", 172_800_000],
    ["1w", 604_800_000],
    ["1 hour 5 mins", 3_900_000],
    ["10 SEC", 10_000],
  ]) {
    assert.equal((await optionsOf(options, "--every", text)).every, value, text);
  }
  for (const text of ["", "h", "fast", "5x", "5m!", "-5m"]) {
    assert.equal(
      (await optionFailure(options, `--every=${text}`)).message,
      `--every needs a duration such as 90s, 15m or 1h30m, got "${text}"`,
    );
  }
  assert.equal((await optionFailure(options, "--every", "30")).hint, "Add a unit: ms, s, m, h, d or w.");
});

test("a duration may have a unit for bare numbers, bare units, and bounds", async () => {
  const options = { every: { type: "duration", defaultUnit: "m", bareUnits: true, min: 60_000, max: 7_200_000, default: 90_000 } };
  assert.equal((await optionsOf(options)).every, 90_000);
  assert.equal((await optionsOf(options, "--every", "5")).every, 300_000);
  assert.equal((await optionsOf(options, "--every", "hour")).every, 3_600_000);
  assert.equal((await optionFailure(options, "--every", "59s")).message, "--every must be at least 1m, got 59s");
  assert.equal((await optionFailure(options, "--every", "day")).message, "--every must be at most 2h, got 1d");
});

test("positionals are required, optional or variadic", async () => {
  const positionals = [
    { name: "from", description: "From", required: true },
    { name: "to", description: "To" },
    { name: "via", description: "Via", variadic: true },
  ];
  const { seen, go, cli } = going({ positionals, options: { fast: { type: "boolean" } } });
  await go("a", "--fast", "b", "c", "d");
  assert.deepEqual(seen.positionals, { from: "a", to: "b", via: ["c", "d"] });
  await go("a");
  assert.deepEqual(seen.positionals, { from: "a", to: undefined, via: [] });
  await go("--", "--a", "-b");
  assert.deepEqual(seen.positionals, { from: "--a", to: "-b", via: [] });
  assert.deepEqual(seen.passthrough, []);
  assert.deepEqual(await failureOf(cli, ["go"]), wrong("missing_required", "missing <from>", "Run `svc trip go --help` for its usage."));
});

test("an argument too many is refused", async () => {
  const { cli } = going({ positionals: [{ name: "from", description: "From" }] });
  assert.deepEqual(
    await failureOf(cli, ["go", "a", "b"]),
    wrong("unexpected_argument", 'unexpected argument "b"', "Run `svc trip go --help` for its usage."),
  );
});

test("a command with passthrough gets what follows the two dashes", async () => {
  const { seen, go } = going({ passthrough: true, positionals: [{ name: "what", description: "What" }] });
  await go("a", "--", "--help", "-x", "--", "y");
  assert.deepEqual(seen.positionals, { what: "a" });
  assert.deepEqual(seen.passthrough, ["--help", "-x", "--", "y"]);
});

test("everything that is missing is named at once", async () => {
  const { cli } = going({
    options: {
      due: { type: "string", required: true },
      maxCount: { type: "integer", required: true },
      tag: { type: "string", repeatable: true, required: true },
    },
    positionals: [{ name: "title", description: "Title", required: true, variadic: true }],
  });
  assert.deepEqual(
    await failureOf(cli, ["go"]),
    wrong("missing_required", "missing --due, --max-count, --tag and <title…>", "Run `svc trip go --help` for its usage."),
  );
});

test("an unknown option is refused with the nearest one", async () => {
  const options = { dryRun: { type: "boolean", short: "n", aliases: ["simulate"] }, secretMode: { type: "boolean", hidden: true } };
  assert.deepEqual(
    await optionFailure(options, "--dry-rum"),
    wrong("unknown_option", "unknown option --dry-rum", "Did you mean --dry-run?"),
  );
  assert.equal((await optionFailure(options, "--simulte")).hint, "Did you mean --simulate?");
  assert.equal((await optionFailure(options, "--hepl")).hint, "Did you mean --help?");
  assert.equal((await optionFailure(options, "--secret-mod")).hint, "Options: --dry-run and --json.");
  assert.equal((await optionFailure(options, "--no-secretmode")).code, "unknown_option");
  assert.deepEqual(await optionFailure(options, "-x"), wrong("unknown_option", "unknown option -x", "Options: --dry-run and --json."));
  assert.equal((await optionsOf(options, "--secret-mode")).secretMode, true);
});

test("an unknown command is refused with the one that was meant", async () => {
  const cli = defineCli({
    name: "todo",
    summary: "Todos",
    commands: {
      list: nothing,
      remove: { ...nothing, suggestFor: ["erase"] },
      "label add": nothing,
      "label clear": { ...nothing, suggestFor: ["wipe"] },
      internal: { ...nothing, hidden: true },
    },
  });
  const hintOf = async (...argv) => (await failureOf(cli, argv)).hint;
  assert.deepEqual(await failureOf(cli, ["lits"]), wrong("unknown_command", 'unknown command "lits"', "Did you mean `svc todo list`?"));
  assert.equal(await hintOf("erase", "3"), "Did you mean `svc todo remove`?");
  assert.equal(await hintOf("label", "ad", "x"), "Did you mean `svc todo label add`?");
  assert.equal(await hintOf("label", "wipe"), "Did you mean `svc todo label clear`?");
  assert.equal(await hintOf("label", "zzz"), "Run `svc todo label --help` for its commands.");
  assert.equal(await hintOf("zzz"), "Run `svc todo --help` for its commands.");
  assert.equal(await hintOf("interna"), "Run `svc todo --help` for its commands.");
});

test("constraints between options hold", async () => {
  const options = { file: { type: "string" }, url: { type: "string" }, text: { type: "string" }, force: { type: "boolean" } };
  const check = async (constraint, ...argv) => {
    const { cli } = going({ options, constraints: [constraint] });
    const { exitCode } = await cli.run(["go", ...argv], context());
    return exitCode === 0 ? "ok" : (({ code, message }) => `${code}: ${message}`)(await failureOf(cli, ["go", ...argv]));
  };
  const three = ["file", "url", "text"];
  const exactly = { kind: "exactly-one", options: three };
  assert.equal(await check(exactly), "missing_required: give one of --file, --url or --text");
  assert.equal(await check(exactly, "--url=a"), "ok");
  assert.equal(await check(exactly, "--url=a", "--file=b"), "invalid_value: --file and --url cannot be used together");
  const atMost = { kind: "at-most-one", options: three };
  assert.equal(await check(atMost), "ok");
  assert.equal(await check(atMost, "--text=a", "--file=b"), "invalid_value: --file and --text cannot be used together");
  const atLeast = { kind: "at-least-one", options: three };
  assert.equal(await check(atLeast), "missing_required: give at least one of --file, --url or --text");
  assert.equal(await check(atLeast, "--text=a", "--file=b"), "ok");
  const requires = { kind: "requires", option: "force", requires: ["file", "url"] };
  assert.equal(await check(requires), "ok");
  assert.equal(await check(requires, "--force", "--file=a"), "missing_required: --force needs --url as well");
  assert.equal(await check(requires, "--force", "--file=a", "--url=b"), "ok");
});

test("an option for a pipe says so when it arrives unread", async () => {
  const options = { token: { type: "string", stdin: true } };
  assert.match((await optionFailure(options, "--token-stdin")).message, /^--token-stdin is read by svc from a pipe/);
  assert.equal((await optionFailure({ token: { type: "string" } }, "--token-stdin")).code, "unknown_option");
});

const documented = defineCli({
  name: "todo",
  summary: "A todo list",
  description: "Keeps what is to be done.",
  commands: {
    add: {
      summary: "Add a todo",
      description: "It goes to the end.",
      aliases: ["new"],
      options: {
        due: { type: "duration", description: "When", short: "d", min: 60_000, default: 3_600_000 },
        dryRun: { type: "boolean", description: "Only say what would be done", aliases: ["simulate"] },
        level: { type: "enum", values: ["low", "high"], required: true },
        token: { type: "string", description: "Key", placeholder: "key", stdin: true },
        tag: { type: "string", repeatable: true },
        count: { type: "integer", min: 1, max: 5, hidden: true },
      },
      positionals: [{ name: "title", description: "What to do", required: true, variadic: true }],
      run: ({ help }) => help(),
    },
    "label add": nothing,
    "label list": { ...nothing, summary: "List labels" },
    hidden: { ...nothing, hidden: true },
  },
});

const ROOT_HELP = `Usage: svc todo <command> [options]

A todo list

Keeps what is to be done.

Commands:
  add <title…>  Add a todo
  label add     Nothing
  label list    List labels

Run \`svc todo <command> --help\` for the options of a command.
`;
const ADD_HELP = `Usage: svc todo add <title…> --level <low|high> [options]

Add a todo

It goes to the end.

Also: svc todo new

Arguments:
  <title…>  What to do

Options:
  -d, --due <due>            When (at least 1m; default: 1h)
      --dry-run, --simulate  Only say what would be done
      --level <low|high>     (required)
      --token <key>          Key (or --token-stdin to read it from a pipe)
      --tag <tag>            (repeatable)
      --json                 Print a failure as JSON as well
  -h, --help                 Show this help
`;
const LABEL_HELP = `Usage: svc todo label <command> [options]

Commands:
  label add   Nothing
  label list  List labels

Run \`svc todo label <command> --help\` for the options of a command.
`;

test("help is shown at every level", async () => {
  const shows = async (text, ...argv) => assert.deepEqual(await documented.run(argv, context()), { exitCode: 0, stdout: text });
  for (const argv of [[], ["--help"], ["-h"], ["--json"]]) {
    await shows(ROOT_HELP, ...argv);
  }
  for (const argv of [["label"], ["label", "--help"], ["-h", "label"]]) {
    await shows(LABEL_HELP, ...argv);
  }
  for (const argv of [
    ["add", "--help"],
    ["new", "-h"],
    ["--help", "add"],
    ["add", "milk", "--wrong", "-h"],
    ["add", "x", "--level", "low"],
  ]) {
    await shows(ADD_HELP, ...argv);
  }
});

test("help of an unknown command is a failure", async () => {
  assert.equal((await documented.run(["ad", "--help"], context())).exitCode, 2);
});

test("an option without its command is refused", async () => {
  assert.deepEqual(
    await failureOf(documented, ["--level", "low"]),
    wrong("unknown_option", "svc todo has no option --level without a command", "Run `svc todo --help` for its commands."),
  );
});

test("a thrown PluginCliError is printed with its hint and exit code", async () => {
  const { cli, go } = going({
    run: () => {
      throw new PluginCliError("no such list", { code: "no_list", hint: "Create it first.", exitCode: 4 });
    },
  });
  assert.deepEqual(await go(), { exitCode: 4, stderr: "error: no such list\nCreate it first.\n" });
  assert.deepEqual(await failureOf(cli, ["go"]), { code: "no_list", message: "no such list", hint: "Create it first.", exitCode: 4 });
});

test("a PluginCliError has defaults and is known by its name", async () => {
  const error = new PluginCliError("no");
  assert.deepEqual([error.name, error.code, error.hint, error.exitCode], ["PluginCliError", "command_failed", null, 1]);
  assert.ok(error instanceof Error);
  const foreign = Object.assign(new Error("elsewhere"), { name: "PluginCliError", code: "x", exitCode: 7 });
  const { go } = going({ run: () => Promise.reject(foreign) });
  assert.deepEqual(await go(), { exitCode: 7, stderr: "error: elsewhere\n" });
});

test("any other error fails the command and goes to the log with its stack", async (t) => {
  const logged = t.mock.method(console, "error", () => {});
  const thrown = new Error("boom");
  const { cli } = going({
    run: () => {
      throw thrown;
    },
  });
  assert.deepEqual(await failureOf(cli, ["go"]), { code: "command_failed", message: "boom", hint: null, exitCode: 1 });
  assert.deepEqual(
    logged.mock.calls.map((call) => call.arguments),
    [[thrown]],
  );
});

test("an aborted call fails with what was thrown", async () => {
  const controller = new AbortController();
  const cli = defineCli({
    name: "a",
    summary: "A",
    commands: {
      go: {
        summary: "Go",
        run: () => {
          controller.abort();
          throw controller.signal.reason;
        },
      },
    },
  });
  await assert.rejects(cli.run(["go"], { signal: controller.signal }), { name: "AbortError" });
});

test("without --json standard output stays empty on a failure", async () => {
  const { go } = going({});
  assert.deepEqual(await go("x"), { exitCode: 2, stderr: 'error: unexpected argument "x"\nRun `svc trip go --help` for its usage.\n' });
  assert.equal((await go("x", "--json")).stdout.startsWith('{"ok":false,'), true);
  const passing = going({ passthrough: true });
  assert.equal((await passing.go("x", "--", "--json")).stdout, undefined);
});

test("the exit code of a wrong command line can be chosen", async () => {
  const { go } = going({}, { usageErrorExitCode: 64 });
  assert.equal((await go("x")).exitCode, 64);
});

const valid = { name: "a", summary: "A", commands: { go: nothing } };
const command = (more) => ({ ...valid, commands: { go: { ...nothing, ...more } } });
const option = (more) => command({ options: { x: more } });
for (const [what, definition, message] of [
  ["no object", null, "the definition must be an object"],
  ["a name of two words", { ...valid, name: "a b" }, /^defineCli: name must be one word/],
  ["a blank summary", { ...valid, summary: " " }, "summary must be one non-blank line"],
  ["no commands", { ...valid, commands: {} }, "there is neither a command nor a root"],
  ["a list of commands", { ...valid, commands: [] }, "commands must be an object of commands"],
  ["a strange exit code", { ...valid, usageErrorExitCode: 0 }, "usageErrorExitCode must be an integer from 1 to 255"],
  ["a command name with capitals", { ...valid, commands: { Go: nothing } }, /^defineCli: the command name "Go" must be words/],
  ["a command without a summary", command({ summary: undefined }), 'the summary of "go" must be one non-blank line'],
  ["a command without run", command({ run: 1 }), 'run of "go" must be a function'],
  ["an alias that is a command", { ...valid, commands: { go: { ...nothing, aliases: ["run"] }, run: nothing } }, 'duplicate name "run"'],
  ["an alias with capitals", command({ aliases: ["Go"] }), /the command name "Go" must be words/],
  ["an option of no known type", option({ type: "float" }), 'type of option "x" of "go" must be boolean, string, integer, enum, duration'],
  [
    "an option name with an underscore",
    command({ options: { a_b: { type: "boolean" } } }),
    /^defineCli: the name of option "a_b" of "go" must begin/,
  ],
  [
    "an option called help",
    command({ options: { help: { type: "boolean" } } }),
    'an option of "go" is called --help, which shows the help',
  ],
  ["an option with the letter h", option({ type: "boolean", short: "h" }), 'an option of "go" is called -h, which shows the help'],
  ["a short of two letters", option({ type: "boolean", short: "xy" }), 'short of option "x" of "go" must be one letter'],
  [
    "two options of one name",
    command({ options: { dryRun: { type: "boolean" }, y: { type: "boolean", aliases: ["dry-run"] } } }),
    'two options of "go" are called --dry-run',
  ],
  [
    "two options of one letter",
    command({ options: { a: { type: "boolean", short: "z" }, b: { type: "boolean", short: "z" } } }),
    'two options of "go" are called -z',
  ],
  [
    "json that is no boolean",
    command({ options: { json: { type: "string" } } }),
    'option "json" of "go" must be a boolean: every command accepts --json',
  ],
  ["an enum without values", option({ type: "enum", values: [] }), 'values of option "x" of "go" must be a non-empty array of strings'],
  [
    "a default outside the values",
    option({ type: "enum", values: ["a"], default: "b" }),
    'the default of option "x" of "go" must be one of its values',
  ],
  ["a default of another type", option({ type: "integer", default: "5" }), 'the default of option "x" of "go" must be a whole number'],
  [
    "a single default of a list",
    option({ type: "string", repeatable: true, default: "a" }),
    'the default of option "x" of "go" must be an array',
  ],
  [
    "a default of a required option",
    option({ type: "string", required: true, default: "a" }),
    'option "x" of "go" is required and has a default',
  ],
  [
    "two positionals of one name",
    command({
      positionals: [
        { name: "a", description: "" },
        { name: "a", description: "" },
      ],
    }),
    'duplicate name "a" among the positionals of "go"',
  ],
  [
    "a variadic positional before another",
    command({
      positionals: [
        { name: "a", description: "", variadic: true },
        { name: "b", description: "" },
      ],
    }),
    'the variadic positional "a" of "go" must be the last one',
  ],
  [
    "a required positional behind an optional one",
    command({
      positionals: [
        { name: "a", description: "" },
        { name: "b", description: "", required: true },
      ],
    }),
    'the required positional "b" of "go" follows an optional one',
  ],
  [
    "a constraint on nothing",
    command({ constraints: [{ kind: "at-most-one", options: ["y"] }] }),
    'a constraint of "go" names the option "y", which it does not have',
  ],
  [
    "a constraint of no known kind",
    command({ constraints: [{ kind: "none", options: [] }] }),
    'a constraint of "go" has the unknown kind "none"',
  ],
]) {
  test(`a definition is refused: ${what}`, () => {
    const expected = typeof message === "string" ? `defineCli: ${message}` : message;
    assert.throws(() => defineCli(definition), { name: "TypeError", message: expected });
  });
}
