import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "../../../support/js/bundle.mjs";

const { Settings } = load("modules/plugins/js/settings.ts");
const LIMIT = 262144;

/** The host's side: what is saved, in memory. */
class FakeRuntime {
  handlers = {};
  stored = { values: {}, secrets: {} };
  protected = [];
  writes = [];
  failure = null;

  callSync(name, argument) {
    if (name === "settings.current") {
      return JSON.stringify(this.stored);
    }
    if (name === "settings.protect") {
      this.protected.push(...JSON.parse(argument));
    }
    return undefined;
  }
  async call(name, argument) {
    assert.equal(name, "settings.write");
    if (this.failure) {
      throw this.failure;
    }
    const changes = JSON.parse(argument);
    this.writes.push(changes);
    for (const { key, secret, value } of changes) {
      delete this.stored.values[key];
      delete this.stored.secrets[key];
      if (value !== null) {
        this.stored[secret ? "secrets" : "values"][key] = value;
      }
    }
    return undefined;
  }
  handle(name, handler) {
    this.handlers[name] = handler;
  }
  error(code, message, extra) {
    return Object.assign(new Error(message), { wireCode: code }, extra);
  }
  /** A save of a client. */
  async put(values) {
    return JSON.parse(await this.handlers["settings.save"](JSON.stringify(values)));
  }
  refresh() {
    this.handlers["settings.refresh"]();
  }
}

let runtime;
let stale;
let problems;
let logged;
let published;
let settings;

function start() {
  const api = {
    guard:
      (member, fn) =>
      (...args) => {
        if (stale) {
          throw Object.assign(new Error(member), { name: "PluginContextStaleError" });
        }
        return fn(...args);
      },
    fail: (member, what) => {
      throw new TypeError(`${member}: ${what}`);
    },
    problem: (code, message) => problems.push({ code, message }),
    setRegistration: (kind, value) => {
      assert.equal(kind, "settings");
      published = JSON.parse(JSON.stringify(value()));
    },
  };
  const log = { failure: (what, error) => logged.push(`${what}: ${error.message}`) };
  return new Settings(runtime, api, log, LIMIT, () => stale).member();
}

beforeEach(() => {
  runtime = new FakeRuntime();
  stale = false;
  problems = [];
  logged = [];
  published = undefined;
  settings = start();
});

const schema = (validate) => ({ "~standard": { version: 1, vendor: "test", validate } });
const accepting = schema((value) => ({ value }));

test("every type reads as its default until something is saved", async () => {
  const handle = settings.define({
    text: { type: "string", default: "a" },
    note: { type: "string", experimental_multiline: true },
    on: { type: "boolean", default: false },
    mode: { type: "select", options: ["a", "b"], default: "b" },
    count: { type: "number", default: 1.5 },
    project: { type: "project" },
    key: { type: "string", secret: true },
  });
  assert.deepEqual(await handle.get(), {
    text: "a",
    note: undefined,
    on: false,
    mode: "b",
    count: 1.5,
    project: undefined,
    key: undefined,
  });
});

test("an empty secret is none", () => {
  runtime.stored.secrets.key = "";
  settings.define({ key: { type: "string", secret: true } });
  assert.deepEqual(published.values, { key: { set: false } });
});

test("clients see neither the value nor the default of a secret, and no schema", () => {
  runtime.stored.secrets.key = "hunter22";
  settings.define({
    key: { type: "string", secret: true, default: "fallback", experimental_schema: accepting },
    other: { type: "string", secret: true, label: "Other", description: "Of the account" },
    mode: { type: "select", options: ["a", "b"], default: "a" },
    note: { type: "string", experimental_multiline: true },
  });
  assert.deepEqual(published, {
    schema: {
      key: { type: "string", label: "key", secret: true },
      other: { type: "string", label: "Other", description: "Of the account", secret: true },
      mode: { type: "select", label: "mode", default: "a", options: ["a", "b"] },
      note: { type: "string", label: "note", experimental_multiline: true },
    },
    values: { key: { set: true }, other: { set: false }, mode: "a" },
  });
  assert.deepEqual(runtime.protected, ["fallback"]);
});

test("the label defaults to the key as words", () => {
  settings.define({ apiKey: { type: "string" }, "max-items_total": { type: "number" } });
  assert.equal(published.schema.apiKey.label, "api key");
  assert.equal(published.schema["max-items_total"].label, "max items total");
});

test("descriptors that cannot be used are refused", () => {
  const cases = [
    [null, /settings\.define: the descriptors must be an object, is null/],
    [{ "a b": { type: "string" } }, /the key "a b" must be one or more letters/],
    [{ "": { type: "string" } }, /the key "" must be/],
    [{ x: 1 }, /the descriptor of "x" must be an object, is a number/],
    [{ x: {} }, /"x": the type must be one of string, boolean, select, number, project, is undefined/],
    [{ x: { type: "date" } }, /is "date"/],
    [{ x: { type: "toString" } }, /is "toString"/],
    [{ x: { type: "string", label: " " } }, /label must be non-blank text/],
    [{ x: { type: "string", description: 1 } }, /description must be non-blank text/],
    [{ x: { type: "select" } }, /options must be an array of at least one/],
    [{ x: { type: "select", options: [] } }, /options must be an array of at least one/],
    [{ x: { type: "select", options: ["a", ""] } }, /non-empty string/],
    [{ x: { type: "select", options: ["a", "a"] } }, /options must be unique/],
    [{ x: { type: "select", options: ["a"], default: "b" } }, /the default is not valid: Expected one of "a"/],
    [{ x: { type: "number", default: NaN } }, /Expected a finite number, got NaN/],
    [{ x: { type: "number", default: "1" } }, /Expected a finite number, got a string/],
    [{ x: { type: "boolean", default: 1 } }, /Expected true or false, got a number/],
    [{ x: { type: "string", default: null } }, /Expected a string, got null/],
    [{ x: { type: "project", default: "" } }, /Expected the id of a project/],
    [{ x: { type: "project", default: "shop" } }, /Expected the id of a project \(proj_…\)/],
    [{ x: { type: "string", default: "\ud800" } }, /well-formed Unicode/],
    [{ x: { type: "string", default: "x".repeat(LIMIT) } }, /has 262146 bytes as JSON, the limit settingValue is 262144/],
    [{ x: { type: "string", secret: "yes" } }, /secret must be true or false, is a string/],
    [{ x: { type: "number", secret: true } }, /only a setting of type "string" can be secret/],
    [{ x: { type: "string", secret: true, experimental_multiline: true } }, /cannot be combined with secret/],
    [{ x: { type: "string", experimental_multiline: 1 } }, /experimental_multiline must be true or false/],
    [{ x: { type: "string", experimental_schema: {} } }, /experimental_schema must be a Standard Schema/],
    [{ x: { type: "string", experimental_schema: { "~standard": {} } } }, /validate must be a function/],
  ];
  for (const [descriptors, message] of cases) {
    assert.throws(() => settings.define(descriptors), { name: "TypeError", message });
  }
  assert.equal(published, undefined);
});

test("unknown fields are ignored with a problem that names the replacement", async () => {
  const handle = settings.define({ x: { type: "string", colour: 1, multiline: true, options: ["a"] } });
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["unknown_field", "unknown_field", "unknown_field"],
  );
  assert.match(
    problems[1].message,
    /settings\.define: the descriptor of "x" has the unknown field "multiline".*use "experimental_multiline"/,
  );
  assert.deepEqual(await handle.get(), { x: undefined });
});

test("define may be called again with other keys; a failing call declares nothing", async () => {
  const first = settings.define({ a: { type: "number", default: 1 } });
  assert.throws(() => settings.define({ b: { type: "string" }, a: { type: "string" } }), /settings\.define: duplicate name "a"/);
  const second = settings.define({ b: { type: "string", default: "x" } });
  assert.deepEqual(await first.get(), { a: 1 });
  assert.deepEqual(await second.get(), { b: "x" });
  assert.deepEqual(Object.keys(published.schema), ["a", "b"]);
});

test("a key that every object inherits is a key like others", async () => {
  const handle = settings.define({ ["__proto__"]: { type: "string", default: "p" }, constructor: { type: "string" } });
  assert.equal((await handle.get()).constructor, undefined);
  await runtime.put({ constructor: "c" });
  assert.equal((await handle.get()).constructor, "c");
});

test("a saved value that no longer fits reads as the default", async () => {
  runtime.stored.values = { mode: "gone", count: "many", on: true };
  runtime.stored.secrets = { text: "was a secret" };
  const handle = settings.define({
    mode: { type: "select", options: ["a"], default: "a" },
    count: { type: "number" },
    on: { type: "boolean", default: false },
    text: { type: "string", default: "t" },
    even: {
      type: "number",
      default: 2,
      experimental_schema: schema((value) => (value % 2 ? { issues: [{ message: "odd" }] } : { value })),
    },
  });
  assert.deepEqual(await handle.get(), { mode: "a", count: undefined, on: true, text: "t", even: 2 });
});

test("a save checks every key, names each one that is wrong, and then writes nothing", async () => {
  settings.define({ count: { type: "number" }, mode: { type: "select", options: ["a"] }, text: { type: "string" } });
  await assert.rejects(runtime.put({ count: "1", mode: "b", text: "fine", other: 1 }), (error) => {
    assert.equal(error.wireCode, "invalid_input");
    assert.deepEqual(error.issues, [
      { message: "Expected a finite number, got a string", path: ["values", "count"] },
      { message: 'Expected one of "a"', path: ["values", "mode"] },
      { message: 'Unknown setting; there are "count", "mode", "text"', path: ["values", "other"] },
    ]);
    return true;
  });
  assert.deepEqual(runtime.writes, []);
});

test("a save is written once as a whole and answers what clients see", async () => {
  const handle = settings.define({ key: { type: "string", secret: true }, count: { type: "number", default: 1 } });
  const view = await runtime.put({ key: "hunter22", count: 5 });
  assert.deepEqual(view.values, { key: { set: true }, count: 5 });
  assert.doesNotMatch(JSON.stringify(view), /hunter22/);
  assert.deepEqual(runtime.writes, [
    [
      { key: "key", secret: true, value: "hunter22" },
      { key: "count", secret: false, value: 5 },
    ],
  ]);
  assert.deepEqual(await handle.get(), { key: "hunter22", count: 5 });
});

test("null goes back to the default", async () => {
  runtime.stored.values.count = 7;
  runtime.stored.secrets.key = "hunter22";
  const handle = settings.define({ key: { type: "string", secret: true }, count: { type: "number", default: 1 } });
  assert.deepEqual(await handle.get(), { key: "hunter22", count: 7 });
  const view = await runtime.put({ key: null, count: null });
  assert.deepEqual(view.values, { key: { set: false }, count: 1 });
  assert.deepEqual(await handle.get(), { key: undefined, count: 1 });
});

test("a failure of the host keeps its code and changes nothing", async () => {
  const handle = settings.define({ count: { type: "number", default: 1 } });
  handle.onChange(() => assert.fail("nothing has changed"));
  runtime.failure = Object.assign(new Error("the disk is full"), { code: "unavailable" });
  await assert.rejects(runtime.put({ count: 2 }), { wireCode: "unavailable", message: "the disk is full" });
  assert.deepEqual(await handle.get(), { count: 1 });
});

test("listeners hear of effective changes in their own keys only", async () => {
  const heard = [];
  const first = settings.define({ a: { type: "number", default: 1 }, key: { type: "string", secret: true } });
  settings.define({ b: { type: "number", default: 1 } }).onChange(() => heard.push("b"));
  const listener = (next, prev) => heard.push({ next, prev });
  const stop = first.onChange(listener);
  first.onChange(listener);
  await runtime.put({ a: 1 });
  assert.deepEqual(heard, []);
  await runtime.put({ a: 2, key: "hunter22" });
  const change = { next: { a: 2, key: "hunter22" }, prev: { a: 1, key: undefined } };
  assert.deepEqual(heard, [change, change]);
  stop();
  stop();
  await runtime.put({ a: null });
  assert.equal(heard.length, 3);
  assert.deepEqual(heard[2].next, { a: 1, key: "hunter22" });
});

test("a failing listener is logged and does not keep the others from hearing", async () => {
  const handle = settings.define({ a: { type: "number" } });
  const heard = [];
  handle.onChange(() => {
    throw new Error("broken");
  });
  handle.onChange(async () => {
    throw new Error("broken later");
  });
  handle.onChange(({ a }) => heard.push(a));
  assert.throws(() => handle.onChange(3), /settings\.onChange: the listener must be a function, is a number/);
  await runtime.put({ a: 1 });
  await new Promise(setImmediate);
  assert.deepEqual(heard, [1]);
  assert.deepEqual(logged, ["a settings.onChange listener failed: broken", "a settings.onChange listener failed: broken later"]);
});

test("a save that another load of the plugin has made arrives as well", async () => {
  const handle = settings.define({ a: { type: "number", default: 1 } });
  const heard = [];
  handle.onChange(({ a }) => heard.push(a));
  runtime.stored.values.a = 3;
  runtime.refresh();
  runtime.refresh();
  assert.deepEqual(heard, [3]);
  assert.deepEqual(await handle.get(), { a: 3 });
  assert.equal(published.values.a, 3);
});

test("after invalidation nothing is heard and the handle throws", () => {
  const handle = settings.define({ a: { type: "number", default: 1 } });
  handle.onChange(() => assert.fail("must not be called"));
  stale = true;
  runtime.stored.values.a = 3;
  runtime.refresh();
  for (const use of [() => handle.get(), () => handle.onChange(() => {}), () => handle.experimental_set({}), () => settings.define({})]) {
    assert.throws(use, { name: "PluginContextStaleError" });
  }
});

test("experimental_set has the checks and effects of a save", async () => {
  const handle = settings.define({ a: { type: "number", default: 1 }, key: { type: "string", secret: true } });
  settings.define({ b: { type: "number" } });
  const heard = [];
  handle.onChange(({ a }) => heard.push(a));
  assert.deepEqual(await handle.experimental_set({ a: 2, key: "hunter22" }), { a: 2, key: "hunter22" });
  assert.deepEqual(heard, [2]);
  assert.deepEqual(runtime.writes.at(-1), [
    { key: "a", secret: false, value: 2 },
    { key: "key", secret: true, value: "hunter22" },
  ]);
  assert.deepEqual(await handle.experimental_set({ a: null, key: undefined }), { a: 1, key: "hunter22" });
  await assert.rejects(handle.experimental_set({ a: "x", b: 1 }), (error) => {
    assert.equal(error.name, "TypeError");
    assert.equal(error.code, "invalid_input");
    assert.equal(
      error.message,
      'settings.experimental_set: a: Expected a finite number, got a string; b: Unknown setting; there are "a", "key"',
    );
    return true;
  });
  await assert.rejects(handle.experimental_set(3), /settings\.experimental_set: needs an object of values, got a number/);
});

test("an own schema reports its first issue", async () => {
  settings.define({
    even: {
      type: "number",
      experimental_schema: schema((value) => (value % 2 ? { issues: [{ message: "must be even" }, { message: "second" }] } : { value })),
    },
  });
  await assert.rejects(runtime.put({ even: 3 }), ({ issues }) => {
    assert.deepEqual(issues, [{ message: "must be even", path: ["values", "even"] }]);
    return true;
  });
  assert.deepEqual((await runtime.put({ even: 4 })).values, { even: 4 });
});

test("an own schema must be synchronous, leave the value alone, and not throw", async () => {
  const cases = [
    [async (value) => ({ value }), /must be synchronous, it returned a promise/],
    [
      async () => {
        throw new Error("late");
      },
      /must be synchronous/,
    ],
    [(value) => ({ value: value.trim() }), /must return the value unchanged/],
    [() => undefined, /gave no result/],
    [
      () => {
        throw new Error("no");
      },
      /experimental_schema failed: no/,
    ],
  ];
  for (const [index, [validate, message]] of cases.entries()) {
    const key = `k${index}`;
    settings.define({ [key]: { type: "string", experimental_schema: schema(validate) } });
    await assert.rejects(runtime.put({ [key]: " x " }), ({ issues }) => {
      assert.match(issues[0].message, message);
      return true;
    });
    assert.throws(
      () => settings.define({ [`d${index}`]: { type: "string", default: " x ", experimental_schema: schema(validate) } }),
      message,
    );
  }
});
