import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "../../../support/js/bundle.mjs";

const { buildService } = load("modules/plugins/js/background_service.ts");

/** The host side: names that were registered, handlers by name, and who owns what escapes. */
class FakeRuntime {
  handlers = {};
  registered = [];
  owner = undefined;

  callSync(name, argument) {
    assert.equal(name, "service.register");
    this.registered.push(argument);
  }
  handle(name, handler) {
    this.handlers[name] = handler;
  }
  attribute(owner, fn) {
    this.owner = owner;
    return fn();
  }
  formatStack(error) {
    return `stack of ${error?.message ?? error}`;
  }
  async run(name) {
    return JSON.parse(await this.handlers["service.run"](name, ""));
  }
  stop(name) {
    return this.handlers["service.stop"](name, "");
  }
}

let runtime;
let problems;
let failures;
let stale;
let service;
beforeEach(() => {
  runtime = new FakeRuntime();
  problems = [];
  failures = [];
  stale = false;
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
    problem: (code, message) => void problems.push({ code, message }),
  };
  service = buildService(runtime, api, { failure: (what, error) => void failures.push(`${what}: ${error.message}`) });
});

/** A start() the test ends by hand. */
function held() {
  const run = {};
  run.settled = new Promise((resolve, reject) => Object.assign(run, { resolve, reject }));
  run.start = (signal) => {
    run.signal = signal;
    return run.settled;
  };
  return run;
}

test("a service is announced and not started by its registration", () => {
  service("sync", { start: () => assert.fail("started") });
  assert.deepEqual(runtime.registered, ["sync"]);
});

test("arguments are checked", () => {
  const start = () => {};
  for (const [args, message] of [
    [[7, { start }], "background.service: the name must be a string, is a number"],
    [["a b", { start }], 'background.service: the name "a b" must be one or more letters, digits, "-" and "_"'],
    [["a", null], "background.service: the service must be an object, is null"],
    [["a", start], "background.service: the service must be an object, is a function"],
    [["a", {}], "background.service: start must be a function, is undefined"],
  ]) {
    assert.throws(() => service(...args), { name: "TypeError", message });
  }
  service("a", { start });
  assert.throws(() => service("a", { start }), { message: 'background.service: duplicate name "a"' });
  assert.deepEqual(runtime.registered, ["a"]);
});

test("unknown fields are reported, the state of a class instance is not", () => {
  service("a", { start() {}, interval: 5 });
  assert.match(problems[0].message, /background\.service: the service has the unknown field "interval"/);
  class Poller {
    count = 0;
    start() {
      this.count += 1;
    }
  }
  const poller = new Poller();
  service("b", poller);
  assert.equal(problems.length, 1);
  return runtime.run("b").then(() => assert.equal(poller.count, 1, "start() keeps its `this`"));
});

test("a start that resolves ends the run without a failure", async () => {
  service("a", { start: () => undefined });
  assert.deepEqual(await runtime.run("a"), {});
});

test("a throw and a rejection of start are failures with their stack", async () => {
  service("throws", {
    start: () => {
      throw new TypeError("bad");
    },
  });
  service("rejects", {
    start: async () => {
      throw new Error("gone");
    },
  });
  assert.deepEqual(await runtime.run("throws"), {
    failed: true,
    outOfBand: false,
    name: "",
    message: "TypeError: bad",
    stack: "stack of bad",
  });
  assert.equal((await runtime.run("rejects")).message, "gone");
});

test("an error named NeedsConfigurationError is passed on by its name, without it in the message", async () => {
  service("a", {
    start: () => {
      throw Object.assign(new Error("add a key"), { name: "NeedsConfigurationError" });
    },
  });
  const outcome = await runtime.run("a");
  assert.equal(outcome.name, "NeedsConfigurationError");
  assert.equal(outcome.message, "add a key");
});

test("values that are no errors are described", async () => {
  service("text", { start: () => Promise.reject("plain") });
  service("nothing", { start: () => Promise.reject() });
  service("hostile", {
    start: () =>
      Promise.reject({
        get name() {
          throw new Error("no");
        },
      }),
  });
  assert.equal((await runtime.run("text")).message, "plain");
  assert.equal((await runtime.run("nothing")).message, "undefined");
  assert.equal((await runtime.run("hostile")).message, "a value that cannot be described was thrown");
});

test("what escapes from a callback of a pending run fails it, once", async () => {
  const run = held();
  service("a", run);
  const outcome = runtime.run("a");
  assert.equal(runtime.owner(new Error("in a timer"), "timer"), true);
  assert.deepEqual(await outcome, {
    failed: true,
    outOfBand: true,
    name: "",
    message: "in a timer",
    stack: "stack of in a timer",
  });
  assert.equal(runtime.owner(new Error("another"), "timer"), false, "the run is over");
  assert.equal(run.signal.aborted, false, "the host decides when the signal aborts");
});

test("what escapes after start has resolved is not the service's failure", async () => {
  service("a", { start: () => undefined });
  await runtime.run("a");
  assert.equal(runtime.owner(new Error("late"), "timer"), false);
});

test("a stop aborts the signal and waits until start has settled", async () => {
  const run = held();
  service("a", run);
  const outcome = runtime.run("a");
  let stopped = false;
  const stop = runtime.stop("a").then(() => {
    stopped = true;
  });
  assert.equal(run.signal.aborted, true);
  await Promise.resolve();
  assert.equal(stopped, false);
  run.reject(Object.assign(new Error("aborted"), { name: "AbortError" }));
  await stop;
  assert.deepEqual(await outcome, {}, "an abort is not a failure");
  assert.deepEqual(failures, []);
});

test("a failure while stopping is only logged", async () => {
  const run = held();
  service("a", run);
  const outcome = runtime.run("a");
  const stop = runtime.stop("a");
  run.reject(new Error("broken pipe"));
  await stop;
  assert.deepEqual(await outcome, {});
  assert.deepEqual(failures, ['service "a" failed while it was stopping: broken pipe']);
});

test("a stop aborts the signal of a run that has ended, and of none that never was", async () => {
  let signal;
  service("a", {
    start: (given) => {
      signal = given;
    },
  });
  assert.equal(await runtime.stop("a"), undefined);
  await runtime.run("a");
  await runtime.stop("a");
  assert.equal(signal.aborted, true);
});

test("every run has a signal of its own", async () => {
  const signals = [];
  service("a", { start: (signal) => void signals.push(signal) });
  await runtime.run("a");
  await runtime.stop("a");
  await runtime.run("a");
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [true, false],
  );
});

test("a turn lets timers and immediates of the present one pass", async () => {
  const order = [];
  const turn = Promise.resolve(runtime.handlers["service.turn"]("", "")).then(() => order.push("turn"));
  setImmediate(() => order.push("immediate"));
  Promise.reject(new Error("x")).catch(() => order.push("rejection"));
  await turn;
  assert.deepEqual(order, ["rejection", "immediate", "turn"]);
});

test("registering on a stale object throws", () => {
  stale = true;
  assert.throws(() => service("a", { start() {} }), { name: "PluginContextStaleError" });
});
