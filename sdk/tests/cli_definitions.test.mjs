import assert from "node:assert/strict";
import { test } from "node:test";

import { defineCli } from "@get-svc/plugin-sdk";

import { nothing } from "./support/cli_cases.mjs";

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
