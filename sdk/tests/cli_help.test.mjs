import assert from "node:assert/strict";
import { test } from "node:test";

import { defineCli } from "@get-svc/plugin-sdk";

import { context, failureOf, nothing, wrong } from "./support/cli_cases.mjs";

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
