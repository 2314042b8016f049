import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/agents/js/tools.ts");
const kObject = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };

const tool = (extra = {}) => ({ name: "add", description: "Adds", parameters: kObject, execute: () => "done", ...extra });

function registered(extra) {
  const part = load();
  part.svc.agents.registerTool(tool(extra));
  return {
    ...part,
    offered: () => part.api.registrations.get("agent-tools"),
    call: (args, { name = "add", threadId = null, projectId = null, host = new FakeCall(), ...meta } = {}) =>
      outcomeOf(() =>
        part.runtime.handlers.get("agents.callTool")(JSON.stringify({ name, threadId, projectId, ...meta }), JSON.stringify(args), host),
      ),
  };
}

function resultOf({ value, error }) {
  assert.equal(error, undefined);
  const line = value.indexOf("\n");
  return { isError: value.slice(0, line) === "1", content: JSON.parse(value.slice(line + 1)) };
}

describe("agents.registerTool", () => {
  const refused = [
    ["no object", undefined, "agents.registerTool: the tool must be an object, is undefined"],
    ["a name with a space", tool({ name: "a b" }), /the name "a b" must be one or more letters, digits/],
    ["a blank description", tool({ description: " " }), /description of tool "add" must be non-blank text/],
    ["no execute", tool({ execute: undefined }), /execute of tool "add" must be a function, is undefined/],
    [
      "no parameters",
      tool({ parameters: undefined }),
      /parameters of tool "add" must be a validator with safeParse or a JSON Schema object, is undefined/,
    ],
    [
      "parameters that are no object schema",
      tool({ parameters: { type: "string" } }),
      /parameters of tool "add" must describe an object, describes "string"/,
    ],
    ["long instructions", tool({ instructions: "x".repeat(4097) }), /have 4097 characters, the limit instructions is 4096/],
    ["instructions that are no text", tool({ instructions: 5 }), /instructions of tool "add" must be a string/],
    [
      "a long label",
      tool({ presentation: { label: { pending: "x".repeat(81), completed: "x" } } }),
      /label.pending in presentation of tool "add" has 81 characters, the limit toolLabel is 80/,
    ],
    [
      "half a label",
      tool({ presentation: { label: { pending: "x" } } }),
      /label.completed in presentation of tool "add" must be non-blank text/,
    ],
    [
      "a suppress that is no boolean",
      tool({ presentation: { suppress: "yes" } }),
      /suppress in presentation of tool "add" must be a boolean/,
    ],
  ];
  for (const [what, definition, message] of refused) {
    it(`refuses ${what}`, () => {
      const { svc, api } = load();
      assert.throws(() => svc.agents.registerTool(definition), { name: "TypeError", message });
      assert.equal(api.registrations.size, 0);
    });
  }

  const region = { type: "string", "x-mcp-header": "Region" };
  const mirrored = [
    [
      "no header name",
      { properties: { a: { ...region, "x-mcp-header": "a b" } } },
      /x-mcp-header of "a" must be the end of a header's name/,
    ],
    [
      "an empty name",
      { properties: { a: { ...region, "x-mcp-header": "" } } },
      /must be the end of a header's name such as "Region", is ""/,
    ],
    ["an object", { properties: { a: { ...region, type: "object" } } }, /of "a" needs the type string, integer or boolean, not "object"/],
    ["a number", { properties: { a: { ...region, type: "number" } } }, /not "number"/],
    ["no type", { properties: { a: { "x-mcp-header": "A" } } }, /not none/],
    [
      "two of one name",
      { properties: { a: region, b: { properties: { c: { ...region, "x-mcp-header": "REGION" } } } } },
      /x-mcp-header "REGION" is there twice/,
    ],
    [
      "the items of a list",
      { properties: { a: { type: "array", items: region } } },
      /"Region" is not at a property that only `properties` lead to/,
    ],
    ["a choice", { properties: { a: { anyOf: [region] } } }, /is not at a property/],
    ["a definition", { $defs: { r: region }, properties: { a: { $ref: "#/$defs/r" } } }, /is not at a property/],
    ["the arguments themselves", { "x-mcp-header": "All" }, /is not at a property/],
  ];
  for (const [what, schema, message] of mirrored) {
    it(`refuses x-mcp-header at ${what}`, () => {
      const { svc } = load();
      assert.throws(() => svc.agents.registerTool(tool({ parameters: { type: "object", ...schema } })), { name: "TypeError", message });
    });
  }

  it("offers x-mcp-header as it is written, and takes a property of that name", () => {
    const parameters = {
      type: "object",
      properties: {
        region,
        deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
        "x-mcp-header": { type: "object" },
        other: { type: "string", enum: ["x-mcp-header"], default: "x-mcp-header" },
      },
    };
    assert.deepEqual(registered({ parameters }).offered()[0].inputSchema, parameters);
  });

  it("refuses a second tool of the same name", () => {
    const { svc } = registered();
    assert.throws(() => svc.agents.registerTool(tool()), { message: 'agents.registerTool: duplicate name "add"' });
  });

  const tree = z.object({
    get children() {
      return z.array(tree);
    },
  });
  const recursive = [
    ["a zod schema", tree],
    ["a JSON Schema through its root", { type: "object", properties: { next: { $ref: "#" } } }],
    [
      "a JSON Schema through a definition",
      {
        type: "object",
        properties: { node: { $ref: "#/$defs/node" } },
        $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      },
    ],
  ];
  for (const [what, parameters] of recursive) {
    it(`refuses a recursive local reference in ${what}`, () => {
      assert.throws(() => load().svc.agents.registerTool(tool({ parameters })), { message: /the reference ".*" is recursive/ });
    });
  }

  it("accepts a definition that several members share", () => {
    const parameters = {
      type: "object",
      properties: { a: { $ref: "#/$defs/text" }, b: { $ref: "#/$defs/text" } },
      $defs: { text: { type: "string" } },
    };
    assert.deepEqual(registered({ parameters }).offered()[0].inputSchema, parameters);
  });

  it("refuses references that lead nowhere or outside", () => {
    const use = ($ref) => () => load().svc.agents.registerTool(tool({ parameters: { type: "object", properties: { a: { $ref } } } }));
    assert.throws(use("#/$defs/gone"), { message: /the reference "#\/\$defs\/gone" leads nowhere/ });
    assert.throws(use("https://example.test/schema"), { message: /leaves the schema/ });
  });

  it("refuses what no argument could be checked with", () => {
    const parameters = { type: "object", properties: { a: { type: "string", pattern: "(" } } };
    assert.throws(() => load().svc.agents.registerTool(tool({ parameters })), {
      message: /must be a JSON Schema that can be applied: properties\.a\.pattern: Invalid regular expression/,
    });
  });

  it("offers what it was given", () => {
    const presentation = {
      label: { pending: "Adding", completed: "Added" },
      icon: { glyph: "plus" },
      suppress: true,
      tint: { light: "#fff", dark: "#000" },
    };
    assert.deepEqual(registered({ instructions: "Use it.", presentation }).offered(), [
      { name: "add", description: "Adds", inputSchema: kObject, instructions: "Use it.", presentation },
    ]);
  });

  it("reports unknown fields and goes on", () => {
    const { api, offered } = registered({ experimental_later: 1 });
    assert.equal(offered().length, 1);
    assert.deepEqual(
      api.problems.map(({ code }) => code),
      ["unknown_field"],
    );
  });

  it("accepts the older names of presentation with one warning each", () => {
    const { svc, api, offered } = registered({ experimental_statusLabels: { pending: "a", completed: "b" } });
    svc.agents.registerTool(tool({ name: "b", experimental_statusLabels: { pending: "c", completed: "d" } }));
    svc.agents.registerTool(tool({ name: "c", experimental_presentation: { suppress: true } }));
    assert.deepEqual(
      offered().map(({ presentation }) => presentation),
      [{ label: { pending: "a", completed: "b" } }, { label: { pending: "c", completed: "d" } }, { suppress: true }],
    );
    assert.deepEqual(api.problems, [
      {
        code: "renamed_field",
        message: 'agents.registerTool: "experimental_statusLabels" is an older name of "presentation.label"; use that',
      },
      { code: "renamed_field", message: 'agents.registerTool: "experimental_presentation" is an older name of "presentation"; use that' },
    ]);
  });

  it("is stale after the load has ended", () => {
    const { api, svc } = load();
    api.stale = true;
    assert.throws(() => svc.agents.registerTool(tool()), { name: "PluginContextStaleError" });
  });
});

describe("parameters of a tool", () => {
  it("offers a zod schema as JSON Schema and hands over what it parsed", async () => {
    let seen;
    const { offered, call } = registered({
      parameters: z.object({ n: z.number().default(7) }),
      execute: (params) => ((seen = params), "ok"),
    });
    assert.equal(offered()[0].inputSchema.type, "object");
    assert.deepEqual(offered()[0].inputSchema.properties, { n: { default: 7, type: "number" } });
    resultOf(await call({}));
    assert.deepEqual(seen, { n: 7 });
  });

  it("takes other validators too", async () => {
    const { offered, call } = registered({ parameters: type({ title: "string" }) });
    assert.deepEqual(offered()[0].inputSchema.required, ["title"]);
    assert.match((await call({})).error.message, /^Invalid arguments for tool add: /);
  });

  it("offers a validator without JSON Schema as an open object, still checks, and tells the author", async () => {
    const { api, offered, call } = registered({ parameters: v.object({ title: v.string() }) });
    assert.deepEqual(offered()[0].inputSchema, { type: "object", additionalProperties: true });
    assert.match((await call({ title: 1 })).error.message, /^Invalid arguments for tool add: title: /);
    assert.deepEqual(
      api.problems.map(({ code }) => code),
      ["undescribed_parameters"],
    );
  });

  it("offers the others beside one that JSON Schema cannot say", async () => {
    const { api, offered, call } = registered({
      parameters: z.object({ title: z.string(), at: z.coerce.date().describe("When"), n: z.bigint().optional() }),
    });
    assert.deepEqual(offered()[0].inputSchema.properties, { title: { type: "string" }, at: { description: "When" }, n: {} });
    assert.deepEqual(api.problems, []);
    assert.match((await call({ title: "t", at: "never" })).error.message, /at: Invalid/);
  });

  it("says of a union what each branch wants", async () => {
    const { call } = registered({
      parameters: z.object({ to: z.union([z.object({ user: z.string() }), z.object({ group: z.number() }), z.literal("all")]) }),
    });
    assert.equal(
      (await call({ to: { usr: "x" } })).error.message,
      "Invalid arguments for tool add: to: Invalid input (none of: user: Invalid input: expected string, received undefined; " +
        'or group: Invalid input: expected number, received undefined; or Invalid input: expected "all")',
    );
  });

  it("checks a JSON Schema and hands the arguments over as sent", async () => {
    let seen;
    const { call } = registered({ execute: (params) => ((seen = params), "ok") });
    resultOf(await call({ title: "x", more: 1 }));
    assert.deepEqual(seen, { title: "x", more: 1 });
    const { error } = await call({ title: 1 });
    assert.equal(error.wireCode, "invalid_input");
    assert.match(error.message, /^Invalid arguments for tool add: title: .*string/);
    assert.match((await call({})).error.message, /required/);
  });

  it("leaves the schema of the plugin as it was", () => {
    const parameters = Object.freeze({ type: "object", properties: Object.freeze({}) });
    registered({ parameters });
    assert.deepEqual(Object.getOwnPropertyNames(parameters), ["type", "properties"]);
  });

  it("names the tool when its schema throws", async () => {
    const parameters = {
      safeParse: () => {
        throw new Error("broken");
      },
    };
    const { error } = await registered({ parameters }).call({});
    assert.equal(error.wireCode, "handler_error");
    assert.equal(error.message, "Tool add failed: its parameters schema threw: broken");
  });
});

describe("calls of a tool", () => {
  it("gives execute the parameters, the context and its own object", async () => {
    const seen = [];
    const definition = tool({
      execute(params, ctx) {
        seen.push(params, ctx.threadId, ctx.projectId, ctx.signal.aborted, this);
        return "x";
      },
    });
    const part = load();
    part.svc.agents.registerTool(definition);
    const meta = JSON.stringify({ name: "add", threadId: "thr_1", projectId: null });
    await part.runtime.handlers.get("agents.callTool")(meta, '{"title":"t"}', new FakeCall());
    assert.deepEqual(seen, [{ title: "t" }, "thr_1", null, false, definition]);
  });

  it("answers text, parts and errors the tool reports itself", async () => {
    const answers = [
      ["hi", { isError: false, content: [{ type: "text", text: "hi" }] }],
      [
        {
          content: [
            { type: "text", text: "a", extra: 1 },
            { type: "image", data: "AA==", mimeType: "image/png" },
          ],
        },
        {
          isError: false,
          content: [
            { type: "text", text: "a" },
            { type: "image", data: "AA==", mimeType: "image/png" },
          ],
        },
      ],
      [
        { content: [], isError: true },
        { isError: true, content: [] },
      ],
    ];
    for (const [result, expected] of answers) {
      assert.deepEqual(resultOf(await registered({ execute: async () => result }).call({ title: "x" })), expected);
    }
  });

  const failing = [
    [
      "a throw",
      () => {
        throw new Error("no tea");
      },
      "Tool add failed: no tea",
    ],
    [
      "a rejection",
      async () => {
        throw "odd";
      },
      "Tool add failed: odd",
    ],
    ["no result", () => undefined, "Tool add failed: it returned undefined, expected a string or an object { content, isError? }"],
    [
      "no content",
      () => ({}),
      "Tool add failed: it returned an object whose content is undefined, expected an array of text and image parts",
    ],
    ["a part of another type", () => ({ content: [{ type: "video" }] }), /content\[0\] of its result is neither/],
    ["an isError that is text", () => ({ content: [], isError: "no" }), /an isError that is a string, expected a boolean/],
    ["too much", () => "x".repeat(8 * 1024 * 1024), /it returned \d+ bytes, the limit toolResult is 8388608/],
  ];
  for (const [what, execute, message] of failing) {
    it(`fails with words for ${what}`, async () => {
      const { error } = await registered({ execute }).call({ title: "x" });
      assert.equal(error.wireCode, "handler_error");
      if (message instanceof RegExp) {
        assert.match(error.message, message);
      } else {
        assert.equal(error.message, message);
      }
    });
  }

  it("does not know other names", async () => {
    assert.equal((await registered().call({}, { name: "other" })).error.wireCode, "not_found");
  });

  it("ends every open call with the reason at disposal, whatever execute does", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let signal;
    const { runtime, call } = registered({ execute: (_params, ctx) => ((signal = ctx.signal), new Promise(() => undefined)) });
    const running = call({ title: "x" });
    await new Promise((resolve) => setImmediate(resolve));
    runtime.handlers.get("agents.abortTools")("plugin-disposed", "", new FakeCall());
    assert.equal(signal.aborted, true);
    mock.timers.tick(250);
    const { error } = await running;
    assert.equal(error.wireCode, "aborted");
    assert.equal(error.message, "Tool add was aborted: plugin-disposed");
    assert.equal(signal.reason.name, "AbortError");
    assert.equal(signal.reason.message, "plugin-disposed");
  });

  it("gives at disposal what a tool has nearly made, and the reason for what its signal ended", async () => {
    let finish, fail;
    const quick = registered({ execute: () => new Promise((resolve) => (finish = resolve)) });
    const ended = registered({ execute: () => new Promise((_, reject) => (fail = reject)) });
    const running = [quick.call({ title: "x" }), ended.call({ title: "x" })];
    await new Promise((resolve) => setImmediate(resolve));
    for (const { runtime } of [quick, ended]) {
      runtime.handlers.get("agents.abortTools")("plugin-disposed", "", new FakeCall());
    }
    finish("done");
    fail(new Error("This operation was aborted"));
    assert.equal(resultOf(await running[0]).isError, false);
    assert.equal((await running[1]).error.message, "Tool add was aborted: plugin-disposed");
    // What arrives with the end behind it is asked for all the same.
    const late = quick.call({ title: "x" });
    finish("late");
    assert.equal(resultOf(await late).isError, false);
  });

  it("is over at disposal once what the tool did with its signal is done", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let finish;
    const { runtime, call } = registered({ execute: () => new Promise((resolve) => (finish = resolve)) });
    const over = () => runtime.handlers.get("agents.toolsOver")("", "", new FakeCall());
    await over();
    const running = call({ title: "x" });
    await new Promise((resolve) => setImmediate(resolve));
    runtime.handlers.get("agents.abortTools")("plugin-disposed", "", new FakeCall());
    mock.timers.tick(250);
    assert.equal((await running).error.wireCode, "aborted");
    let isOver = false;
    const waiting = over().then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    finish();
    await waiting;
  });

  it("ends when the caller gives up, also before it began", async () => {
    const { call } = registered({ execute: () => new Promise(() => undefined) });
    const late = new FakeCall();
    const running = call({ title: "x" }, { host: late });
    late.controller.abort();
    assert.equal((await running).error.wireCode, "aborted");
    const gone = new FakeCall();
    gone.controller.abort();
    assert.equal((await call({ title: "x" }, { host: gone })).error.wireCode, "aborted");
  });

  it("also checks what configure has left of the parameters", async () => {
    const { call } = registered();
    const narrow = { type: "object", properties: { title: { type: "string", maxLength: 3 } } };
    assert.equal(resultOf(await call({ title: "tea" }, { overrides: [narrow] })).isError, false);
    assert.match((await call({ title: "long" }, { overrides: [narrow] })).error.message, /^Invalid arguments for tool add: /);
    assert.match((await call({}, { overrides: [narrow] })).error.message, /^Invalid arguments for tool add: .*title/);
    const overrides = [narrow, { type: "object", properties: { title: { type: "string", minLength: 2 } } }];
    assert.equal(resultOf(await call({ title: "tea" }, { overrides })).isError, false);
    assert.match((await call({ title: "t" }, { overrides })).error.message, /^Invalid arguments for tool add: /);
  });
});

describe("progress of a tool", () => {
  const reports = ({ runtime }) => runtime.argumentsOf("tools.progress").map((text) => JSON.parse(text));

  it("reaches the host while the call is open, for a caller that listens", async () => {
    let after;
    const part = registered({
      execute: async (_params, { experimental_progress }) => {
        after = experimental_progress;
        experimental_progress({ progress: 1, total: 2, message: "x".repeat(600) });
        experimental_progress({ progress: 1.5, total: 2 });
        experimental_progress({ progress: 2, total: 2 });
        return "";
      },
    });
    await part.call({ title: "t" }, { call: 7 });
    await part.call({ title: "t" }, {});
    after({ progress: 3 });
    assert.deepEqual(reports(part), [
      { call: 7, progress: 1, total: 2, message: "x".repeat(500) },
      { call: 7, progress: 2, total: 2 },
    ]);
  });

  it("refuses what is no progress, whoever listens", async () => {
    for (const [report, problem] of [
      [5, /the report must be an object/],
      [{ progress: "1" }, /progress must be a finite number, is a string/],
      [{ progress: 1, total: NaN }, /total must be a finite number/],
      [{ progress: 1, message: 5 }, /message must be a string, is a number/],
    ]) {
      const { call } = registered({ execute: (_params, ctx) => ctx.experimental_progress(report) });
      assert.match((await call({ title: "t" })).error.message, problem);
    }
  });
});
