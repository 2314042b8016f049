import assert from "node:assert/strict";
import { test } from "node:test";

import { defineCli } from "@get-svc/plugin-sdk";

import { context, failureOf, going, nothing, optionFailure, optionsOf, wrong } from "./support/cli_cases.mjs";

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
