import assert from "node:assert/strict";
import { test } from "node:test";

import { cliCommand, defineCli, PluginCliError } from "@get-svc/plugin-sdk";

import { context, failureOf, going, nothing } from "./support/cli_cases.mjs";

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
