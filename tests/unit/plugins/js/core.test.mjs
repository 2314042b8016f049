import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "../../../support/js/bundle.mjs";

const core = load("modules/plugins/js/core.ts").default;

/** The host side of one environment, in memory. */
class FakeRuntime {
  quoteJson(pieces) {
    return pieces.map((piece, index) => (index % 2 === 1 ? JSON.stringify(piece) : piece)).join("");
  }
  handlers = {};
  logs = [];
  problems = [];
  registered = [];
  settings = null;
  needed = [];
  appUrl = "";
  store = new Map();
  namespace = {};

  callSync(name, argument) {
    switch (name) {
      case "core.config":
        return JSON.stringify({ pluginId: "todo", dataDir: "/data", kvKey: 512, kvValue: 262144, settingValue: 262144 });
      case "core.baseUrl":
        return '"http://127.0.0.1:4700"';
      case "core.appUrl":
        return JSON.stringify(this.appUrl);
      case "core.log":
        this.logs.push(JSON.parse(argument));
        break;
      case "core.problem":
        this.problems.push(JSON.parse(argument));
        break;
      case "core.register":
        this.settings = JSON.parse(argument).value;
        this.registered.push(JSON.parse(argument));
        break;
      case "core.needsConfiguration":
        this.needed.push(JSON.parse(argument));
        break;
    }
    return undefined;
  }
  async call(name, argument) {
    const [first, second, third] = argument.split("\n");
    const key = JSON.parse(first);
    switch (name) {
      case "kv.get":
        return this.store.get(key);
      case "kv.set":
        this.store.set(key, second);
        return undefined;
      case "kv.remove":
        this.store.delete(key);
        return undefined;
      case "kv.list":
        return JSON.stringify([...this.store.keys()].filter((each) => each.startsWith(key)));
      case "kv.compareAndSet": {
        if ((this.store.get(key) ?? "") !== second) {
          return "false";
        }
        if (third === "") {
          this.store.delete(key);
        } else {
          this.store.set(key, third);
        }
        return "true";
      }
    }
    throw new Error(`no host function ${name}`);
  }
  handle(name, handler) {
    this.handlers[name] = handler;
  }
  async loadModule() {
    if (this.namespace instanceof Error) {
      throw this.namespace;
    }
    return this.namespace;
  }
  error(code, message, extra) {
    return Object.assign(new Error(message), { code }, extra);
  }
  formatStack(error) {
    return error.stack;
  }
  loadEntry(factory) {
    this.namespace = factory instanceof Error ? factory : { default: factory };
    return this.handlers["plugin.load"]("/plugin/server.ts", "");
  }
}

let runtime;
let api;
let svc;
let kv;
beforeEach(() => {
  runtime = new FakeRuntime();
  api = {};
  core(runtime, api);
  svc = api.svc;
  kv = svc.storage.kv;
});

test("the key-value store keeps JSON values", async () => {
  await kv.set("a", { x: [1, null] });
  assert.deepEqual(await kv.get("a"), { x: [1, null] });
  assert.equal(await kv.get("absent"), undefined);
  assert.equal(await kv.has("a"), true);
  assert.deepEqual(await kv.list(), ["a"]);
  await kv.delete("a");
  assert.equal(await kv.has("a"), false);
});

test("compareAndSet treats undefined as absent", async () => {
  assert.equal(await kv.experimental_compareAndSet("a", undefined, 1), true);
  assert.equal(await kv.experimental_compareAndSet("a", undefined, 2), false);
  assert.equal(await kv.experimental_compareAndSet("a", 1, undefined), true);
  assert.equal(await kv.has("a"), false);
});

test("a key has 1 to 512 bytes of well-formed text", async () => {
  await kv.set("ü".repeat(256), 1);
  await assert.rejects(kv.get(""), /storage\.kv\.get: the key must be a non-empty string/);
  await assert.rejects(kv.delete(7), /storage\.kv\.delete: the key must be a non-empty string/);
  await assert.rejects(kv.set("ü".repeat(257), 1), /the key has 514 bytes, the limit kvKey is 512/);
  await assert.rejects(kv.get("\ud800"), /not well-formed/);
});

test("a value is strict JSON of at most 262144 bytes", async () => {
  await kv.set("k", "x".repeat(262142));
  await assert.rejects(kv.set("k", "x".repeat(262143)), /has 262145 bytes as JSON, the limit kvValue is 262144/);
  await assert.rejects(kv.set("k", undefined), /storage\.kv\.set: value is undefined: only strict JSON/);
  await assert.rejects(kv.set("k", { d: new Date() }), /value\.d is an instance of Date/);
  await assert.rejects(kv.experimental_compareAndSet("k", 1n, 1), /expected is a bigint/);
});

test("log lines never throw and carry the stack of an error", () => {
  svc.log.info("hello");
  svc.log.error(new TypeError("bad"));
  svc.log.warn({
    toString() {
      throw new Error("no text");
    },
  });
  assert.deepEqual(runtime.logs[0], { level: "info", message: "hello" });
  assert.equal(runtime.logs[1].message, "TypeError: bad");
  assert.match(runtime.logs[1].stack, /core\.test\.mjs/);
  svc.log.warn(Object.create(null));
  assert.deepEqual(runtime.logs.slice(2), [
    { level: "warn", message: "[a value of type object that cannot be shown]" },
    { level: "warn", message: "[a value of type object that cannot be shown]" },
  ]);
  assert.deepEqual(Object.keys(svc.log), ["debug", "info", "warn", "error"]);
});

test("what many registrations of one kind add up to is told once, when the factory has ended, also when it fails", async () => {
  const schedules = () => runtime.registered.filter(({ kind }) => kind === "schedules");
  await runtime.loadEntry(async (given) => {
    for (let index = 0; index < 50; ++index) {
      given.background.schedule(`each-${index}`, "@daily", () => {});
    }
    await null;
    assert.deepEqual(schedules(), []);
  });
  assert.deepEqual(
    schedules().map(({ value }) => value.length),
    [50],
  );
  svc.background.schedule("late", "@daily", () => {});
  assert.deepEqual(
    schedules().map(({ value }) => value.length),
    [50, 51],
  );
  await assert.rejects(
    runtime.loadEntry((given) => {
      given.background.schedule("last", "@daily", () => {});
      throw new Error("no");
    }),
  );
  assert.equal(schedules().at(-1).value.at(-1).name, "last");
});

test("what is registered is bounded, and the load fails for more", async () => {
  const many = (given) => {
    for (let index = 0; index < 5; ++index) {
      given.background.schedule(`${index}${"x".repeat(1024 * 1024)}`, "@daily", () => {});
    }
  };
  const told = runtime.registered.length;
  await assert.rejects(runtime.loadEntry(many), ({ message }) =>
    /what the plugin registers as schedules has 52\d{5} characters as JSON, the limit registration is 4194304/.test(message),
  );
  assert.equal(runtime.registered.length, told);
});

test("whatever a factory throws can be read", async () => {
  const cases = [
    [{ message: "no key" }, "no key"],
    [{ name: "ZodError", message: "no key" }, "ZodError: no key"],
    [{ code: 7 }, '{"code":7}'],
    [Object.assign(Object.create(null), { code: 7 }), '{"code":7}'],
    ["text", "text"],
    [undefined, "undefined"],
    [null, "null"],
    [
      {
        get message() {
          throw new Error("no");
        },
      },
      "a value that cannot be shown was thrown",
    ],
  ];
  for (const [thrown, expected] of cases) {
    const factory = () => {
      throw thrown;
    };
    await assert.rejects(runtime.loadEntry(factory), { message: expected });
  }
});

test("providers and settings are told once, however many there are", async () => {
  for (const part of ["mentions", "providers"]) {
    load(`modules/agents/js/${part}.ts`).default(runtime, api);
  }
  await runtime.loadEntry(async (given) => {
    for (let index = 0; index < 20; ++index) {
      given.ui.registerMentionProvider({ id: `m${index}`, label: "M", search: () => [], resolve: () => ({ context: "" }) });
      given.providers.register({ id: `agent-${index}`, displayName: "A", capabilities: {}, composerActions: [] });
      given.settings.define({ [`s${index}`]: { type: "string" } });
    }
    await null;
    assert.deepEqual(runtime.registered, []);
  });
  const told = Object.fromEntries(runtime.registered.map(({ kind, value }) => [kind, value]));
  assert.equal(runtime.registered.length, 3);
  assert.equal(told["mention-providers"].length, 20);
  assert.equal(told["providers"].length, 20);
  assert.equal(Object.keys(told["settings"].schema).length, 20);
});

test("the factory runs with the svc object and is known to run", async () => {
  let seen;
  await runtime.loadEntry(async (given) => {
    seen = [given === svc, api.inFactory];
  });
  assert.deepEqual(seen, [true, true]);
  assert.equal(api.inFactory, false);
});

test("a default export wrapped by a compiler is found", async () => {
  let ran = false;
  await runtime.loadEntry({
    default: () => {
      ran = true;
    },
  });
  assert.equal(ran, true);
});

test("a load that fails after a native addon was refused says so, whatever the package says", async (t) => {
  const { dlopen } = process;
  t.after(() => (process.dlopen = dlopen));
  const failing = (message) => runtime.loadEntry(new Error(message));
  process.dlopen = Object.assign(() => undefined, { refused: ["/p/node_modules/argon/argon.node"] });
  await assert.rejects(failing("Cannot find native binding. Try `npm i` again (i.js:1:1)"), {
    message:
      "native addons are not supported here: node_modules/argon/argon.node cannot be loaded. Use a JavaScript or WebAssembly build of the package. " +
      "It says itself: Cannot find native binding. Try `npm i` again (i.js:1:1)",
  });
  await assert.rejects(failing("DOMMatrix is not defined (i.js:1:1)"), {
    message:
      "DOMMatrix is not defined (i.js:1:1) (before, a native addon was refused, which plugins cannot load: node_modules/argon/argon.node)",
  });
  process.dlopen = Object.assign(() => undefined, { refused: [] });
  await assert.rejects(failing("plain (i.js:1:1)"), { message: "plain (i.js:1:1)" });
});

test("a failing load has a message with its place and a stack", async () => {
  const boom = new TypeError("x is null");
  boom.stack = "TypeError: x is null\n    at f (/plugin/lib/a.ts:4:7)\n    at /plugin/server.ts:9:1";
  await assert.rejects(
    runtime.loadEntry(() => {
      throw boom;
    }),
    {
      code: "load_failed",
      message: "TypeError: x is null (lib/a.ts:4:7)",
      details: { stack: boom.stack },
    },
  );
  await assert.rejects(runtime.loadEntry(new SyntaxError("server.ts:3:5: Unexpected")), {
    message: "SyntaxError: server.ts:3:5: Unexpected",
  });
  await assert.rejects(
    runtime.loadEntry(() => {
      throw "text";
    }),
    { message: "text" },
  );
  await assert.rejects(runtime.loadEntry(undefined), /must export a function.*its default export is nothing/);
});

test("hooks run in reverse, each bounded, a failing one does not stop the rest", async () => {
  const order = [];
  svc.onDispose(() => void order.push(1));
  svc.onDispose(async () => {
    order.push(2);
    throw new Error("broken");
  });
  svc.onDispose(() => new Promise(() => {}));
  api.onDispose(() => void order.push(4));
  await runtime.handlers["plugin.runHooks"]('{"hookMs":1}', "");
  assert.deepEqual(order, [4, 2, 1]);
  const messages = runtime.logs.map((line) => line.message);
  assert.match(messages[0], /an onDispose hook failed: it did not finish within 1 ms \(limit disposeHook\)/);
  assert.match(messages[1], /an onDispose hook failed: broken/);
  assert.throws(() => svc.onDispose(3), /TypeError: onDispose: needs a function, got number/);
});

test("after invalidation everything but the log and the id throws", async () => {
  const handle = svc.settings.define({ name: { type: "string" } });
  runtime.handlers["plugin.invalidate"]("", "");
  for (const use of [
    () => kv.get("a"),
    () => svc.onDispose(() => {}),
    () => svc.server.loopbackBaseUrl,
    () => handle.get(),
    () => svc.status.needsConfiguration("x"),
    () => svc.settings.define({}),
  ]) {
    assert.throws(use, { name: "PluginContextStaleError" });
  }
  svc.log.info("still here");
  assert.equal(runtime.logs.at(-1).message, "still here");
  assert.equal(svc.pluginId, "todo");
});

test("settings are part of the object and registered for clients", async () => {
  const handle = svc.settings.define({ mode: { type: "select", options: ["a", "b"], default: "b", colour: 1 } });
  assert.deepEqual(await handle.get(), { mode: "b" });
  assert.deepEqual(runtime.settings.values, { mode: "b" });
  assert.equal(runtime.problems[0].code, "unknown_field");
});

test("status and server tell the host and the plugin", () => {
  svc.status.needsConfiguration();
  svc.status.needsConfiguration("add a key");
  assert.deepEqual(runtime.needed, ["", "add a key"]);
  assert.equal(svc.server.loopbackBaseUrl, "http://127.0.0.1:4700");
  assert.equal(svc.server.experimental_dataDir, "/data");
});

test("the address of the app window is null without one", () => {
  assert.equal(svc.server.experimental_appUrl, null);
  runtime.appUrl = "https://svc.example";
  assert.equal(svc.server.experimental_appUrl, "https://svc.example");
});

test("install hooks run in order, and a failing one does not stop the rest", async () => {
  const order = [];
  svc.onInstall(() => void order.push(1));
  svc.onInstall(async () => {
    order.push(2);
    throw new Error("no mail server");
  });
  svc.onInstall(() => void order.push(3));
  await runtime.handlers["plugin.runInstallHooks"]("", "");
  assert.deepEqual(order, [1, 2, 3]);
  assert.match(runtime.logs.at(-1).message, /an onInstall hook failed: no mail server/);
  assert.throws(() => svc.onInstall(), /TypeError: onInstall: needs a function, got undefined/);
});
