import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { load } from "../../../support/js/bundle.mjs";
import { FakeApi, FakeCall, FakeRuntime, outcomeOf } from "../../../support/js/part_harness.mjs";

const hostsPart = load("modules/hosts/js/hosts.ts").default;

/** The runtime with calls that the test answers. */
class CallRuntime extends FakeRuntime {
  /** { name, argument, resolve, reject } in their order. */
  calls = [];
  answers = {};

  call(name, argument) {
    return new Promise((resolve, reject) => this.calls.push({ name, argument, resolve, reject }));
  }
  callSync(name, argument) {
    super.callSync(name, argument);
    return this.answers[name];
  }
}

const contract = {
  size: { input: z.object({ path: z.string().trim() }), output: z.object({ bytes: z.number(), unit: z.string().default("B") }) },
  ping: { input: null, output: z.any() },
};
const experimental_signals = { tick: { payload: z.object({ n: z.number() }) }, tock: z.number() };

function connected() {
  const [runtime, api] = [new CallRuntime(), new FakeApi()];
  const warnings = [];
  const errors = [];
  api.svc.log = { warn: (line) => warnings.push(line), error: (error) => errors.push(error) };
  hostsPart(runtime, api);
  api.inFactory = false;
  const client = api.svc.hosts.experimental_client({ contract, experimental_signals });
  const emit = (event, payload) =>
    runtime.handlers.get("hosts.event")(JSON.stringify(event), payload === undefined ? "" : JSON.stringify(payload), new FakeCall());
  return { runtime, api, client, emit, warnings, errors, svc: api.svc };
}

/** Until what was started has reached the runtime. */
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) {
    await Promise.resolve();
  }
};
const linesOf = ({ argument }) => argument.split("\n");

describe("svc.hosts.experimental_client", () => {
  it("checks contract and signals", () => {
    const { svc, api } = connected();
    const make = (options) => () => svc.hosts.experimental_client(options);
    assert.throws(make(undefined), { message: "hosts.experimental_client: options must be an object, is undefined" });
    assert.throws(make({}), { message: /contract must be an object, is undefined/ });
    assert.throws(make({ contract: { ping: { input: {}, output: {} } } }), {
      message: /input and output of "ping" must be Standard Schema v1 validators/,
    });
    assert.throws(make({ contract, experimental_signals: { tick: 1 } }), {
      message: /the payload of signal "tick" must be a Standard Schema/,
    });
    make({ contract, later: true })();
    assert.deepEqual(
      api.problems.map(({ code }) => code),
      ["unknown_field"],
    );
  });

  it("sends what the caller gave, and gives what the contract makes of the answer", async () => {
    const { client, runtime } = connected();
    const answer = client.call("size", { path: " / ", odd: undefined }, { hostId: "host_1", timeoutMs: 7.2 });
    await turns();
    assert.equal(runtime.calls[0].name, "hosts.call");
    assert.deepEqual(linesOf(runtime.calls[0]), ['"host_1"', "1", "8", '"size"', '{"path":" / "}']);
    runtime.calls[0].resolve('{"bytes":5,"more":1}');
    assert.deepEqual(await answer, { bytes: 5, unit: "B" });
  });

  it("has a default time limit, numbers its calls, and says nothing for no input", async () => {
    const { client, runtime } = connected();
    client.call("ping", undefined, { hostId: "a\nb" });
    const second = client.call("ping", null, { hostId: "h" });
    await turns();
    assert.deepEqual(runtime.calls.map(linesOf), [
      ['"a\\nb"', "1", "30000", '"ping"', ""],
      ['"h"', "2", "30000", '"ping"', "null"],
    ]);
    runtime.calls[1].resolve(undefined);
    assert.equal(await second, undefined);
  });

  it("fails with a HostCallError", async () => {
    const { client, runtime, api } = connected();
    const fails = async (method, input, reaction, options = { hostId: "h" }) => {
      const outcome = outcomeOf(() => client.call(method, input, options));
      await turns();
      reaction?.(runtime.calls.shift());
      const { error } = await outcome;
      assert.equal(error.name, "HostCallError");
      assert.equal(error.hostId, "h");
      return [error.code, error.message, error.details];
    };
    assert.deepEqual(await fails("size", {}), [
      "invalid_input",
      'host input validation failed for "size": path: Invalid input: expected string, received undefined',
      { issues: [{ message: "Invalid input: expected string, received undefined", path: ["path"] }] },
    ]);
    assert.deepEqual((await fails("size", { path: "/", at: new Date() })).slice(0, 2), [
      "invalid_input",
      "input.at is an instance of Date, not a plain object",
    ]);
    assert.equal((await fails("ping", { a: 1 }))[1], 'host method "ping" takes no input');
    assert.equal((await fails("size", { path: "x".repeat(32 * 1024 * 1024) }))[0], "too_large");
    assert.deepEqual((await fails("size", { path: "/" }, ({ resolve }) => resolve('{"bytes":"x"}')))[0], "invalid_output");
    const rejection = Object.assign(new Error("late"), { code: "timeout", details: { ms: 1 } });
    assert.deepEqual(await fails("size", { path: "/" }, ({ reject }) => reject(rejection)), ["timeout", "late", { ms: 1 }]);
    api.inFactory = true;
    assert.equal((await fails("size", { path: "/" }))[0], "plugin_not_running");
    assert.equal(runtime.calls.length, 0);
  });

  it("fails with handler_error when a schema or a getter of the input throws, whatever code the error has", async () => {
    const { svc, runtime } = connected();
    const coded = Object.assign(new Error("no file"), { code: "ENOENT" });
    const throwing = z.any().transform(() => {
      throw coded;
    });
    const contract = { in: { input: throwing, output: z.any() }, out: { input: z.any(), output: throwing } };
    const client = svc.hosts.experimental_client({ contract });
    const getter = Object.defineProperty({}, "a", {
      enumerable: true,
      get() {
        throw coded;
      },
    });
    const calls = [
      client.call("in", 1, { hostId: "h" }),
      client.call("out", getter, { hostId: "h" }),
      client.call("out", 1, { hostId: "h" }),
    ];
    await turns();
    runtime.calls[0].resolve("1");
    for (const call of calls) {
      await assert.rejects(call, { name: "HostCallError", code: "handler_error", message: "no file", details: { code: "ENOENT" } });
    }
  });

  it("fails with host_error when the answer is not JSON", async () => {
    const { client, runtime } = connected();
    const failure = outcomeOf(() => client.call("ping", null, { hostId: "host_1" }));
    await turns();
    runtime.calls[0].resolve('{"a":[1,,2]}');
    const { error } = await failure;
    assert.equal(error.name, "HostCallError");
    assert.equal(error.code, "host_error");
    assert.match(error.message, /the machine's answer to "ping" is not JSON: /);
  });

  it("checks what it is called with", async () => {
    const { client } = connected();
    const refused = async (...args) => {
      const { error } = await outcomeOf(() => client.call(...args));
      assert.equal(error.name, "TypeError");
      return error.message;
    };
    assert.match(await refused("pong", null, { hostId: "h" }), /the contract has no method "pong"/);
    assert.match(await refused("toString", null, { hostId: "h" }), /the contract has no method "toString"/);
    assert.match(await refused("ping", null, {}), /hostId must be non-blank text/);
    assert.match(await refused("ping", null), /options must be an object, is undefined/);
    for (const timeoutMs of [0, -1, NaN, 2 ** 31, "5"]) {
      assert.match(
        await refused("ping", null, { hostId: "h", timeoutMs }),
        /timeoutMs must be a number of milliseconds from 1 to 2147483647/,
      );
    }
    assert.match(await refused("ping", null, { hostId: "h", signal: {} }), /signal must be an AbortSignal, is an object/);
  });

  it("cancels at once when the caller aborts", async () => {
    const { client, runtime } = connected();
    const controller = new AbortController();
    const outcome = outcomeOf(() => client.call("ping", null, { hostId: "h", signal: controller.signal }));
    await turns();
    controller.abort();
    const { error } = await outcome;
    assert.equal(error.name, "AbortError");
    assert.equal(error.message, 'the call of "ping" was aborted');
    assert.deepEqual(runtime.argumentsOf("hosts.cancel"), ["1"]);
    runtime.calls[0].reject(Object.assign(new Error("gone"), { code: "aborted" }));
    const early = await outcomeOf(() => client.call("ping", null, { hostId: "h", signal: controller.signal }));
    assert.equal(early.error.name, "AbortError");
    assert.equal(runtime.calls.length, 1);
  });

  it("lets go of the signal of a call that has ended", async () => {
    const { client, runtime } = connected();
    const controller = new AbortController();
    const answer = client.call("ping", null, { hostId: "h", signal: controller.signal });
    await turns();
    runtime.calls[0].resolve("1");
    assert.equal(await answer, 1);
    controller.abort();
    assert.deepEqual(runtime.argumentsOf("hosts.cancel"), []);
  });

  it("does not start a call that was aborted while its input was checked", async () => {
    const { runtime, svc } = connected();
    const controller = new AbortController();
    const slow = { "~standard": { version: 1, vendor: "test", validate: async (value) => (controller.abort(), { value }) } };
    const client = svc.hosts.experimental_client({ contract: { slow: { input: slow, output: z.any() } } });
    const { error } = await outcomeOf(() => client.call("slow", 1, { hostId: "h", signal: controller.signal }));
    assert.equal(error.name, "AbortError");
    assert.equal(runtime.calls.length, 0);
  });

  it("sends what the caller gave even when a validator changes it", async () => {
    const { runtime, svc } = connected();
    const rude = { "~standard": { version: 1, vendor: "test", validate: (value) => ((value.a = 2), { value }) } };
    const given = { a: 1 };
    svc.hosts.experimental_client({ contract: { rude: { input: rude, output: z.any() } } }).call("rude", given, { hostId: "h" });
    await turns();
    assert.equal(linesOf(runtime.calls[0])[4], '{"a":1}');
    assert.deepEqual(given, { a: 1 });
  });
});

describe("events of hosts", () => {
  it("deliver signals as the schema makes them, and unexpected exits", async () => {
    const { client, emit, warnings } = connected();
    const seen = [];
    const off = client.experimental_onSignal("tick", (signal) => void seen.push(signal));
    client.experimental_onSignal("tock", (signal) => void seen.push(signal));
    client.experimental_onWorkerExit((exit) => void seen.push(exit));
    await emit({ hostId: "h", signal: "tick" }, { n: 1, more: 2 });
    await emit({ hostId: "h", signal: "tock" }, 5);
    await emit({ hostId: "h", signal: "other" }, 1);
    off();
    await emit({ hostId: "h", signal: "tick" }, { n: 2 });
    await emit({ hostId: "h" });
    assert.deepEqual(seen, [{ hostId: "h", payload: { n: 1 } }, { hostId: "h", payload: 5 }, { hostId: "h" }]);
    assert.deepEqual(warnings, []);
  });

  it("drop a payload that does not fit, with one line for each signal", async () => {
    const { client, emit, warnings } = connected();
    const seen = [];
    client.experimental_onSignal("tick", (signal) => seen.push(signal));
    client.experimental_onSignal("tock", (signal) => seen.push(signal));
    for (const payload of [{ n: "x" }, { n: "y" }, undefined]) {
      await emit({ hostId: "h", signal: "tick" }, payload);
    }
    await emit({ hostId: "h", signal: "tock" }, "x");
    assert.deepEqual(seen, []);
    assert.equal(warnings.length, 2);
    assert.match(warnings[0], /a signal "tick" of host "h" is dropped.*its payload does not fit: n: Invalid input/);
  });

  it("drop a payload that is not JSON", async () => {
    const { client, runtime, warnings } = connected();
    const seen = [];
    client.experimental_onSignal("tock", ({ payload }) => void seen.push(payload));
    await runtime.handlers.get("hosts.event")('{"hostId":"h","signal":"tock"}', "[1,,2]", new FakeCall());
    assert.deepEqual(seen, []);
    assert.match(warnings[0], /a signal "tock" of host "h" is dropped.*it is not JSON/);
  });

  it("reach every listener, whatever another one throws", async () => {
    const { client, emit } = connected();
    const seen = [];
    client.experimental_onSignal("tock", () => {
      throw new Error("mine");
    });
    client.experimental_onSignal("tock", ({ payload }) => seen.push(payload));
    client.experimental_onWorkerExit(() => {
      throw new Error("exit");
    });
    await assert.rejects(emit({ hostId: "h", signal: "tock" }, 1), { message: "mine" });
    assert.deepEqual(seen, [1]);
  });

  it("tell every failure: the first is that of the call, the others are in the log", async () => {
    const { client, emit, errors } = connected();
    for (const name of ["first", "second", "third"]) {
      client.experimental_onWorkerExit(() => {
        throw new Error(name);
      });
    }
    client.experimental_onWorkerExit(async () => {
      await turns();
      throw new Error("late");
    });
    await assert.rejects(emit({ hostId: "h" }), { message: "first" });
    await turns();
    await turns();
    assert.deepEqual(
      errors.map(({ message }) => message),
      ["second", "third", "late"],
    );
  });

  it("are answered at once when nobody listens", () => {
    const { emit } = connected();
    assert.equal(emit({ hostId: "h", signal: "tick" }, 1), undefined);
  });

  it("take only listeners that are functions, for signals that are declared", () => {
    const { client } = connected();
    assert.throws(() => client.experimental_onSignal("boom", () => undefined), { message: /experimental_signals has no "boom"/ });
    assert.throws(() => client.experimental_onWorkerExit(1), { message: /the listener must be a function/ });
  });
});

describe("svc.hosts.declareSharedPorts", () => {
  it("declares the ports of a host that is known", () => {
    const { svc, runtime } = connected();
    runtime.answers["hosts.declarePorts"] = "true";
    svc.hosts.declareSharedPorts("host_1", [80, 81]);
    assert.deepEqual(runtime.argumentsOf("hosts.declarePorts"), ['{"hostId":"host_1","ports":[80,81]}']);
    runtime.answers["hosts.declarePorts"] = "false";
    assert.throws(() => svc.hosts.declareSharedPorts("host_2", []), { message: 'hosts.declareSharedPorts: unknown host "host_2"' });
  });

  it("refuses ports that are none", () => {
    const { svc } = connected();
    for (const port of [0, 65_536, 1.5, "80"]) {
      assert.throws(() => svc.hosts.declareSharedPorts("host_1", [port]), { message: /a port must be an integer from 1 to 65535/ });
    }
    assert.throws(() => svc.hosts.declareSharedPorts("host_1", 80), { message: /ports must be an array, is a number/ });
  });
});

describe("svc.hosts.ensureSharedPortTunnel", () => {
  it("is not supported", async () => {
    const { svc } = connected();
    assert.equal((await outcomeOf(() => svc.hosts.ensureSharedPortTunnel("host_1"))).error.code, "not_supported");
  });
});
