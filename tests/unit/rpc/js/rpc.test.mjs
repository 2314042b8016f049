import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/rpc/js/rpc.ts");

const anything = z.any();

function loaded(contract, handlers, options) {
  const part = load();
  part.svc.rpc.register(contract, handlers, options);
  const handler = part.runtime.handlers.get("rpc");
  return {
    ...part,
    raw: (name, body = "", call = new FakeCall()) => handler(name, body, call),
    call: (name, body = "", call = new FakeCall()) => outcomeOf(() => handler(name, body, call)),
  };
}

describe("rpc calls", () => {
  const schemas = {
    zod: { input: z.object({ title: z.string().trim().min(1) }), output: z.object({ title: z.string() }) },
    valibot: {
      input: v.object({ title: v.pipe(v.string(), v.trim(), v.minLength(1)) }),
      output: v.object({ title: v.string() }),
    },
    arktype: { input: type({ title: "string.trim |> string >= 1" }), output: type({ title: "string" }) },
  };
  for (const [library, contract] of Object.entries(schemas)) {
    it(`validates with ${library}`, async () => {
      const plugin = loaded({ add: contract }, { add: (input) => input });
      assert.deepEqual(await plugin.call("add", '{"title":"  tea "}'), { value: '{"title":"tea"}' });
      const { error } = await plugin.call("add", '{"title":7}');
      assert.equal(error.wireCode, "invalid_input");
      assert.deepEqual(error.issues[0].path, ["title"]);
      assert.match(error.message, /^rpc input validation failed for "add": title: /);
    });
  }

  it("answers synchronously when schemas and handler do", () => {
    const plugin = loaded({ get: { input: anything, output: anything } }, { get: () => 5 });
    assert.equal(plugin.raw("get"), "5");
  });

  it("awaits a handler and asynchronous schemas", async () => {
    const slow = z.string().refine(async (text) => text !== "bad");
    const plugin = loaded({ echo: { input: slow, output: slow } }, { echo: async (input) => input });
    assert.deepEqual(await plugin.call("echo", '"x"'), { value: '"x"' });
    assert.equal((await plugin.call("echo", '"bad"')).error.wireCode, "invalid_input");
  });

  it("awaits thenables whose then() returns nothing, as query builders have", async () => {
    const query = (value) => ({ then: (resolve) => void resolve(value) });
    const failing = { then: (_resolve, reject) => void reject(new Error("no such table")) };
    const plugin = loaded(
      { rows: { input: anything, output: anything }, bad: { input: anything, output: anything } },
      { rows: () => query([1, 2]), bad: () => failing },
    );
    assert.deepEqual(await plugin.call("rows"), { value: "[1,2]" });
    const { error } = await plugin.call("bad");
    assert.equal(error.wireCode, "handler_error");
    assert.equal(error.message, "no such table");
  });

  it("passes undefined for an empty body and the caller's null as null", async () => {
    const seen = [];
    const plugin = loaded({ look: { input: anything, output: anything } }, { look: (input) => void seen.push(input) });
    await plugin.call("look");
    await plugin.call("look", "null");
    assert.deepEqual(seen, [undefined, null]);
  });

  it("lets the caller omit the argument of a schema of null", async () => {
    const plugin = loaded({ list: { input: z.null(), output: anything } }, { list: (input) => ({ input }) });
    assert.deepEqual(await plugin.call("list"), { value: '{"input":null}' });
    assert.deepEqual(await plugin.call("list", "null"), { value: '{"input":null}' });
    assert.equal((await plugin.call("list", "1")).error.wireCode, "invalid_input");
  });

  it("reports the issues of the omitted input, not of null", async () => {
    const plugin = loaded({ add: { input: z.object({}), output: anything } }, { add: () => 1 });
    assert.match((await plugin.call("add")).error.message, /undefined/);
  });

  it("takes no input when the schema is null", async () => {
    const plugin = loaded({ list: { input: null, output: anything } }, { list: (input) => String(input) });
    assert.deepEqual(await plugin.call("list"), { value: '"undefined"' });
    assert.deepEqual(await plugin.call("list", "null"), { value: '"undefined"' });
    const { error } = await plugin.call("list", "{}");
    assert.equal(error.wireCode, "invalid_input");
    assert.deepEqual(error.issues, [{ message: "Expected no input", path: [] }]);
  });

  it("names an unknown method, also one every object inherits", async () => {
    const plugin = loaded({ list: { input: null, output: anything } }, { list: () => 1 });
    for (const name of ["nope", "constructor", "__proto__"]) {
      assert.equal((await plugin.call(name)).error.wireCode, "unknown_method");
    }
  });

  it("refuses a body that is not JSON before the schema sees it", async () => {
    const plugin = loaded({ list: { input: anything, output: anything } }, { list: () => 1 });
    assert.equal((await plugin.call("list", "{")).error.wireCode, "invalid_json");
  });

  it("turns throws and rejections into handler_error with code and retryable", async () => {
    const failure = () => Object.assign(new Error("no tea"), { code: "E_TEA", retryable: true });
    const plugin = loaded(
      {
        now: { input: null, output: anything },
        later: { input: null, output: anything },
        text: { input: null, output: anything },
      },
      {
        now: () => {
          throw failure();
        },
        later: async () => {
          throw failure();
        },
        text: () => {
          throw "just text";
        },
      },
    );
    for (const name of ["now", "later"]) {
      const { error } = await plugin.call(name);
      assert.equal(error.wireCode, "handler_error");
      assert.equal(error.message, "no tea");
      assert.deepEqual(error.details, { code: "E_TEA", retryable: true });
      assert.equal(error.cause.code, "E_TEA");
    }
    const { error } = await plugin.call("text");
    assert.equal(error.message, "just text");
    assert.equal(error.details, undefined);
    assert.equal(error.cause, "just text");
  });

  it("treats a throwing validator as a failing handler", async () => {
    const broken = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => {
          throw new Error("bad schema");
        },
      },
    };
    const plugin = loaded({ get: { input: broken, output: anything } }, { get: () => 1 });
    const { error } = await plugin.call("get", "1");
    assert.equal(error.wireCode, "handler_error");
    assert.equal(error.message, "bad schema");
  });

  it("does not let a handler choose the wire code", async () => {
    const plugin = loaded(
      { get: { input: null, output: anything } },
      {
        get: () => {
          throw Object.assign(new Error("x"), { code: "unknown_plugin" });
        },
      },
    );
    assert.equal((await plugin.call("get")).error.wireCode, "handler_error");
  });

  it("sends what the output schema returns", async () => {
    const plugin = loaded({ get: { input: null, output: z.object({ a: z.number() }) } }, { get: () => ({ a: 1, b: 2 }) });
    assert.deepEqual(await plugin.call("get"), { value: '{"a":1}' });
  });

  it("reports an output that does not fit with its issues", async () => {
    const plugin = loaded({ get: { input: null, output: z.object({ a: z.number() }) } }, { get: async () => ({}) });
    const { error } = await plugin.call("get");
    assert.equal(error.wireCode, "invalid_output");
    assert.deepEqual(error.issues[0].path, ["a"]);
  });

  it("refuses results that are not JSON and sends undefined as null", async () => {
    const results = { nothing: undefined, nan: { a: [Number.NaN] }, big: 1n, call: { f() {} }, date: new Date(0) };
    const contract = Object.fromEntries(Object.keys(results).map((name) => [name, { input: null, output: anything }]));
    const handlers = Object.fromEntries(Object.entries(results).map(([name, value]) => [name, () => value]));
    const plugin = loaded(contract, handlers);
    assert.deepEqual(await plugin.call("nothing"), { value: "null" });
    for (const name of ["nan", "big", "call", "date"]) {
      const { error } = await plugin.call(name);
      assert.equal(error?.wireCode, "non_json_result", name);
    }
  });

  it("writes issue paths as strings and numbers", async () => {
    const schema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => ({ issues: [{ message: "bad", path: ["a", 0, { key: "b" }, Symbol("c")] }, { message: "worse" }] }),
      },
    };
    const plugin = loaded({ get: { input: schema, output: anything } }, { get: () => 1 });
    assert.deepEqual((await plugin.call("get")).error.issues, [
      { message: "bad", path: ["a", 0, "b", "Symbol(c)"] },
      { message: "worse", path: [] },
    ]);
  });

  it("creates the signal only when the handler asks for it", async () => {
    let given;
    const plugin = loaded(
      { idle: { input: null, output: anything }, busy: { input: null, output: anything } },
      {
        idle: (_input, ctx) => ctx.caller.kind,
        busy: (_input, ctx) => {
          given = ctx.signal;
          return ctx.caller === ctx.experimental_caller;
        },
      },
    );
    const call = new FakeCall();
    assert.deepEqual(await plugin.call("idle", "", call), { value: '"client"' });
    assert.equal(call.signalReads, 0);
    assert.deepEqual(await plugin.call("busy", "", call), { value: "true" });
    assert.equal(given, call.controller.signal);
  });

  it("calls a handler with its object as this", async () => {
    const handlers = {
      word: "tea",
      get() {
        return this.word;
      },
    };
    Object.defineProperty(handlers, "word", { enumerable: false });
    const plugin = loaded({ get: { input: null, output: anything } }, handlers);
    assert.deepEqual(await plugin.call("get"), { value: '"tea"' });
  });
});

describe("rpc.register", () => {
  const method = { input: anything, output: anything };
  const refused = [
    ["a contract that is no object", [null, {}], /^rpc\.register: contract must be an object/],
    ["handlers that are no object", [{}, undefined], /^rpc\.register: handlers must be an object/],
    ["a bad method name", [{ "a..b": method }, { "a..b": () => 1 }], /"a\.\.b" is not a method name/],
    ["a method without handler", [{ a: method }, {}], /method "a" has no handler function/],
    ["an inherited handler", [{ toString: method }, {}], /method "toString" has no handler function/],
    ["a handler without method", [{ a: method }, { a() {}, b() {} }], /handler "b" has no method in the contract/],
    ["an input that is no schema", [{ a: { input: {}, output: anything } }, { a() {} }], /input of "a" must be a Standard Schema/],
    ["a missing input", [{ a: { output: anything } }, { a() {} }], /input of "a" must be/],
    ["an output of null", [{ a: { input: null, output: null } }, { a() {} }], /output of "a" must be/],
    ["a published stranger", [{ a: method }, { a() {} }, { experimental_published: ["b"] }], /names "b"/],
  ];
  for (const [what, args, message] of refused) {
    it(`refuses ${what} and registers nothing`, async () => {
      const { svc, runtime, api } = load();
      assert.throws(() => svc.rpc.register(...args), { name: "TypeError", message });
      assert.equal(api.registrations.has("rpc"), false);
      assert.equal((await outcomeOf(() => runtime.handlers.get("rpc")("a", "", new FakeCall()))).error.wireCode, "unknown_method");
    });
  }

  it("registers nothing of a call that repeats a name", async () => {
    const plugin = loaded({ a: method }, { a: () => 1 });
    assert.throws(() => plugin.svc.rpc.register({ b: method, a: method }, { a() {}, b() {} }), {
      message: 'rpc.register: duplicate name "a"',
    });
    assert.equal((await plugin.call("b")).error.wireCode, "unknown_method");
  });

  it("adds methods with each call and tells the host the whole list", () => {
    const plugin = loaded({ b: method }, { b: () => 1 });
    const names = () => plugin.api.registrations.get("rpc").map((described) => described.method);
    assert.deepEqual(names(), ["b"]);
    plugin.svc.rpc.register({ "a.x": method }, { "a.x": () => 2 });
    assert.deepEqual(names(), ["a.x", "b"]);
    assert.equal(plugin.raw("a.x"), "2");
  });

  it("warns about unknown fields and goes on", () => {
    const plugin = loaded({ a: { ...method, description: "x" } }, { a: () => 1 }, { experimental_new: 1 });
    const { problems } = plugin.api;
    assert.deepEqual(
      problems.map((problem) => problem.code),
      ["unknown_field", "unknown_field"],
    );
    assert.match(problems[0].message, /"description"/);
    assert.equal(plugin.raw("a"), "1");
  });

  it("throws once the object is stale", () => {
    const { svc, api } = load();
    api.stale = true;
    assert.throws(() => svc.rpc.register({}, {}), { name: "PluginContextStaleError" });
  });
});

describe("who calls an rpc method", () => {
  const asking = () =>
    loaded({ who: { input: anything, output: anything } }, { who: (_input, ctx) => [ctx.caller, ctx.caller === ctx.experimental_caller] });

  it("is a client, or the plugin that the host names", async () => {
    const plugin = asking();
    assert.equal((await plugin.call("who")).value, '[{"kind":"client"},true]');
    assert.equal((await plugin.call("\nother\nwho")).value, '[{"kind":"plugin","pluginId":"other"},true]');
  });

  it("is a client for a method name that looks like a caller", async () => {
    const { error } = await asking().call("\n\n\nother\nwho");
    assert.equal(error.wireCode, "unknown_method");
  });
});

describe("experimental_published", () => {
  const contract = {
    b: { input: z.object({ n: z.number().default(1) }), output: z.number() },
    a: { input: null, output: v.number() },
  };
  const handlers = { a: () => 1, b: () => 1 };
  const published = (options) => loaded(contract, handlers, options).api.registrations.get("rpc-published");

  it("advertises the named methods, with JSON Schemas where the validator has them", () => {
    const [a, b, ...rest] = published({ experimental_published: true });
    assert.deepEqual(rest, []);
    assert.deepEqual(a, { method: "a", inputSchema: { type: "null" }, outputSchema: undefined });
    assert.equal(b.method, "b");
    assert.equal(b.inputSchema.required, undefined);
    assert.equal(b.outputSchema.type, "number");
    assert.deepEqual(
      published({ experimental_published: ["b"] }).map(({ method }) => method),
      ["b"],
    );
  });

  it("advertises nothing otherwise, and tells the host of the schemas all the same", () => {
    const [a, b] = loaded(contract, handlers).api.registrations.get("rpc");
    assert.deepEqual(a, { method: "a", inputSchema: { type: "null" }, outputSchema: undefined });
    assert.equal(b.outputSchema.type, "number");
    assert.equal(published({}), undefined);
    assert.equal(published({ experimental_published: false }), undefined);
    assert.equal(published({ experimental_published: [] }), undefined);
  });
});
