import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/cli/js/cli.ts");
const kOutput = 1_048_576;

function loaded(run, extra = {}) {
  const part = load();
  part.svc.cli.register({ name: "todo", run, ...extra });
  const handler = part.runtime.handlers.get("cli");
  return {
    ...part,
    call: (request = { argv: [] }, call = new FakeCall()) => outcomeOf(() => handler("", JSON.stringify(request), call)),
  };
}

describe("cli runs", () => {
  it("hands argv and the context to run", async () => {
    let seen;
    const plugin = loaded(async (argv, ctx) => {
      seen = { argv, cwd: ctx.cwd, threadId: ctx.threadId, projectId: ctx.projectId };
      return { exitCode: 3, stdout: "out", stderr: "err" };
    });
    const { value } = await plugin.call({ argv: ["add", "x"], cwd: "/w", threadId: "thr_1" });
    assert.deepEqual(JSON.parse(value), { exitCode: 3, stdout: "out", stderr: "err" });
    assert.deepEqual(seen, { argv: ["add", "x"], cwd: "/w", threadId: "thr_1", projectId: undefined });
  });

  it("accepts a result without output from a synchronous run", async () => {
    const plugin = loaded(() => ({ exitCode: 0 }));
    assert.deepEqual(JSON.parse((await plugin.call()).value), { exitCode: 0, stdout: "", stderr: "" });
  });

  it("gives the signal of the call on demand", async () => {
    let signal;
    const plugin = loaded((_argv, ctx) => {
      signal = ctx.signal;
      return { exitCode: 0 };
    });
    const call = new FakeCall();
    await plugin.call({ argv: [] }, call);
    assert.equal(signal, call.controller.signal);
  });

  const broken = [
    [
      "a throw",
      () => {
        throw new Error("no tea");
      },
      "svc todo failed: no tea",
    ],
    [
      "a rejection",
      async () => {
        throw new Error("no tea");
      },
      "svc todo failed: no tea",
    ],
    [
      "a thrown text",
      () => {
        throw "oops";
      },
      "svc todo failed: oops",
    ],
    ["no result", () => undefined, /returned no result object/],
    ["no exit code", () => ({}), /returned the exitCode undefined, expected an integer from 0 to 255/],
    ["exit code 256", () => ({ exitCode: 256 }), /exitCode 256/],
    ["exit code 1.5", () => ({ exitCode: 1.5 }), /exitCode 1\.5/],
    ["a textual exit code", () => ({ exitCode: "0" }), /exitCode 0/],
    ["a stdout that is no text", () => ({ exitCode: 0, stdout: 5 }), /stdout that is not a string/],
  ];
  for (const [what, run, message] of broken) {
    it(`answers ${what} as handler_error`, async () => {
      const { error } = await loaded(run).call();
      assert.equal(error.wireCode, "handler_error");
      assert.match(error.message, typeof message === "string" ? new RegExp(`^${message}$`) : message);
    });
  }

  it("accepts output at the limit and refuses more, with the sizes", async () => {
    const sized = (out, err) => loaded(() => ({ exitCode: 1, stdout: "é".repeat(out / 2), stderr: "e".repeat(err) }));
    assert.ok((await sized(kOutput - 4, 4).call()).value);
    const { error } = await sized(kOutput - 4, 5).call();
    assert.equal(error.wireCode, "plugin_cli_output_too_large");
    assert.match(error.message, /1048577 bytes of output, the limit cliOutput is 1048576/);
    assert.deepEqual(error.details, {
      maxBytes: kOutput,
      stdoutBytes: kOutput - 4,
      stderrBytes: 5,
      totalBytes: kOutput + 1,
      exitCode: 1,
    });
  });

  it("hands on what run threw", async () => {
    const plugin = loaded(() => {
      throw new Error("no tea");
    });
    const { error } = await plugin.call();
    assert.equal(error.message, "svc todo failed: no tea");
    assert.equal(error.cause.message, "no tea");
  });

  it("has no command before one is registered", async () => {
    const { runtime } = load();
    const { error } = await outcomeOf(() => runtime.handlers.get("cli")("", '{"argv":[]}', new FakeCall()));
    assert.equal(error.wireCode, "unknown_command");
  });
});

describe("cli.register", () => {
  const run = () => ({ exitCode: 0 });
  const refused = [
    ["no object", undefined, /^cli\.register: the registration must be an object/],
    ["two words as name", { name: "a b", run }, /name must be one word/],
    ["an upper-case name", { name: "A", run }, /name must be one word/],
    ["a blank summary", { name: "a", summary: " ", run }, /summary must be a non-blank string/],
    ["no run", { name: "a" }, /run must be a function/],
    ["commands that are no array", { name: "a", run, commands: {} }, /commands must be an array/],
    ["a command that is no object", { name: "a", run, commands: [1] }, /commands\[0\] must be an object/],
    ["a bad command name", { name: "a", run, commands: [{ name: "x  y", summary: "", usage: "" }] }, /commands\[0\]\.name/],
    ["a command without summary", { name: "a", run, commands: [{ name: "x", usage: "" }] }, /commands\[0\]\.summary/],
    ["a command without usage", { name: "a", run, commands: [{ name: "x", summary: "" }] }, /commands\[0\]\.usage/],
    ["a textual rendersHelp", { name: "a", run, rendersHelp: "yes" }, /rendersHelp must be a boolean/],
  ];
  for (const [what, registration, message] of refused) {
    it(`refuses ${what}`, () => {
      const { svc, runtime } = load();
      assert.throws(() => svc.cli.register(registration), { name: "TypeError", message });
      assert.deepEqual(runtime.argumentsOf("cli.registered"), []);
    });
  }

  it("gives the host the metadata without running anything", () => {
    const commands = [{ name: "list all", summary: "Lists", usage: "todo list all" }];
    const { runtime } = loaded(run, { summary: "Todos", commands, rendersHelp: true });
    assert.deepEqual(JSON.parse(runtime.argumentsOf("cli.registered")[0]), {
      name: "todo",
      summary: "Todos",
      commands,
      rendersHelp: true,
    });
  });

  it("accepts a second registration never", () => {
    const { svc } = loaded(run);
    assert.throws(() => svc.cli.register({ name: "other", run }), /^TypeError: cli\.register: duplicate name "other"/);
  });

  it("warns about unknown fields and goes on", () => {
    const { api } = loaded(run, { experimental_color: true });
    assert.match(api.problems[0].message, /"experimental_color"/);
  });
});
