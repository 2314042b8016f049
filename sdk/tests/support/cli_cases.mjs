// Command lines for tests of the builder: one command, what its run got, and how it fails.
import assert from "node:assert/strict";

import { defineCli } from "@get-svc/plugin-sdk";

export const context = () => ({ signal: new AbortController().signal });
export const nothing = { summary: "Nothing", run: () => undefined };

/** A command line with one command "go" and what its run got. */
export function going(command, rest = {}) {
  const seen = {};
  const cli = defineCli({
    name: "trip",
    summary: "Trips",
    commands: { go: { summary: "Go", run: (args) => void Object.assign(seen, args), ...command } },
    ...rest,
  });
  return { seen, cli, go: (...argv) => cli.run(["go", ...argv], context()) };
}

export async function optionsOf(options, ...argv) {
  const { seen, go } = going({ options });
  const result = await go(...argv);
  assert.equal(result.exitCode, 0, result.stderr);
  return seen.options;
}

/** The failure of a command line, from its --json answer. */
export async function failureOf(cli, argv) {
  const result = await cli.run(["--json", ...argv], context());
  const { ok, error } = JSON.parse(result.stdout);
  assert.equal(ok, false);
  assert.deepEqual(Object.keys(error), ["code", "message", "hint"]);
  assert.equal(result.stderr, `error: ${error.message}\n${error.hint === null ? "" : `${error.hint}\n`}`);
  return { ...error, exitCode: result.exitCode };
}

export async function optionFailure(options, ...argv) {
  return failureOf(going({ options }).cli, ["go", ...argv]);
}

export const wrong = (code, message, hint = null) => ({ code, message, hint, exitCode: 2 });
