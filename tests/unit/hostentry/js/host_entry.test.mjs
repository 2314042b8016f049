import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeCall } from "../../../support/js/part_harness.mjs";
import { load } from "../../../support/js/bundle.mjs";

const { serve } = load("modules/hostentry/js/host_entry.ts");

const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const number = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => (typeof value === "number" ? { value } : { issues: [{ message: "expected a number", path: [] }] }),
  },
};

/** The runtime as the worker sees it; what it sends is parsed. */
class Runtime {
  handlers = new Map();
  sent = [];
  uncaught = [];
  handle(name, handler) {
    this.handlers.set(name, handler);
  }
  callSync(name, argument) {
    assert.equal(name, "worker.send");
    this.sent.push(JSON.parse(argument));
  }
  async call(name, argument) {
    assert.equal(name, "worker.signal");
    this.sent.push(JSON.parse(argument));
  }
  error(code, message, extra) {
    return Object.assign(new Error(message), { wireCode: code }, extra);
  }
  formatStack(error) {
    return error.stack;
  }
  reportUncaught(error) {
    this.uncaught.push(error.message);
  }
}

function entryOf(handlers, more = {}) {
  const contract = Object.fromEntries(Object.keys(handlers).map((name) => [name, { input: any, output: any }]));
  return { experimental_apiVersion: 1, contract, handlers, experimental_signals: {}, ...more };
}

async function started(entry) {
  const runtime = new Runtime();
  serve(runtime, async () => ({ default: entry }));
  await runtime.handlers.get("start")("", JSON.stringify({ module: "/host.mjs", dataDir: "/data", tempDir: "/temp" }));
  const call = (method, input = "", host = new FakeCall()) => runtime.handlers.get("call")(method, input, host);
  return { runtime, call, dispose: () => runtime.handlers.get("dispose")("", "") };
}

describe("start", () => {
  const start = async (importFile) => {
    const runtime = new Runtime();
    serve(runtime, importFile);
    return runtime.handlers.get("start")("", JSON.stringify({ module: "/host.mjs", dataDir: "/d", tempDir: "/t" }));
  };

  it("tells why a module does not load, with the stack", async () => {
    await assert.rejects(
      start(async () => {
        throw new SyntaxError("odd");
      }),
      (error) => error.wireCode === "worker_start_failed" && /SyntaxError: odd\n\s+at /.test(error.message),
    );
  });

  for (const [value, text] of [
    [undefined, /must be made by experimental_defineHostEntry/],
    [{}, /must be made by experimental_defineHostEntry/],
    [{ experimental_apiVersion: 2 }, /version 2 of the host API, this machine has version 1/],
  ]) {
    it(`refuses ${JSON.stringify(value)}`, async () => {
      await assert.rejects(
        start(async () => ({ default: value })),
        text,
      );
    });
  }
});

describe("call", () => {
  it("gives input and context, and answers with JSON", async () => {
    const seen = [];
    const { call } = await started(
      entryOf({
        echo: (input, context) => {
          seen.push(input, context.experimental_paths, context.signal.aborted, context.lifecycle.signal.aborted);
          return { got: input };
        },
      }),
    );
    assert.equal(await call("echo", '{"a":1}'), '{"got":{"a":1}}');
    assert.deepEqual(seen, [{ a: 1 }, { dataDir: "/data", tempDir: "/temp" }, false, false]);
  });

  it("tells undefined from null", async () => {
    const { call } = await started(entryOf({ echo: (input) => input }));
    assert.equal(await call("echo", ""), undefined);
    assert.equal(await call("echo", "null"), "null");
  });

  it("does not ask for a signal that no handler reads", async () => {
    const { call } = await started(entryOf({ echo: () => 1 }));
    const host = new FakeCall();
    await call("echo", "", host);
    assert.equal(host.signalReads, 0);
  });

  it("answers with the codes of the contract", async () => {
    const entry = entryOf({
      echo: (input) => input,
      fail: () => {
        throw Object.assign(new Error("no"), { code: "EPERM" });
      },
      odd: () => 1n,
      big: () => "x".repeat(8 * 1024 * 1024),
    });
    entry.contract.echo = { input: number, output: number };
    const { call } = await started(entry);
    const codeOf = async (method, input) => {
      const error = await call(method, input).then(
        () => assert.fail(),
        (thrown) => thrown,
      );
      return [error.wireCode, error.message, error.details];
    };
    assert.deepEqual(await codeOf("nothing"), ["unknown_method", 'the host entry has no method "nothing"', undefined]);
    assert.deepEqual((await codeOf("echo", '"a"'))[0], "invalid_input");
    assert.deepEqual(await codeOf("fail"), ["handler_error", "no", { code: "EPERM" }]);
    assert.equal((await codeOf("odd"))[0], "non_json_result");
    assert.match((await codeOf("big")).join(" "), /too_large .*limit host-output/);
  });

  it("says something of whatever is thrown", async () => {
    const values = [
      new Error(),
      new RangeError(""),
      "text",
      42,
      null,
      undefined,
      { message: 5 },
      Object.assign(new Error("x"), { message: "" }),
    ];
    const { call } = await started(
      entryOf({
        fail: (index) => {
          throw values[index];
        },
      }),
    );
    const said = [];
    for (const index of values.keys()) {
      said.push(
        await call("fail", String(index)).then(
          () => assert.fail(),
          ({ wireCode, message }) => `${wireCode}: ${message}`,
        ),
      );
    }
    assert.deepEqual(
      said,
      ["Error", "RangeError", "text", "42", "null", "undefined", "[object Object]", "Error"].map((text) => `handler_error: ${text}`),
    );
  });

  it("names a signal whose payload cannot cross", async () => {
    const { call } = await started(
      entryOf(
        { emit: (_input, { experimental_emitSignal }) => experimental_emitSignal("tick", { at: NaN }) },
        { experimental_signals: { tick: { payload: any } } },
      ),
    );
    await assert.rejects(call("emit"), { message: 'the payload of "tick".at is NaN, which JSON cannot hold' });
  });

  it("passes on what the handler threw, for the log", async () => {
    const thrown = new Error("no");
    const { call } = await started(entryOf({ fail: () => Promise.reject(thrown) }));
    await assert.rejects(call("fail"), (error) => error.cause === thrown);
  });

  it("keeps the end of a cancelled call out of the log, and nothing else", async () => {
    let host;
    const cancelled = (signal, errorOf) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(errorOf(signal)));
        host.controller.abort();
      });
    const { call } = await started(
      entryOf({
        obey: (_input, { signal }) => cancelled(signal, ({ reason }) => reason),
        fail: (_input, { signal }) => cancelled(signal, () => new Error("broken")),
        pretend: () => Promise.reject(new DOMException("no", "AbortError")),
      }),
    );
    const causes = [];
    for (const method of ["obey", "fail", "pretend"]) {
      host = new FakeCall();
      causes.push(
        await call(method, "", host).then(
          () => assert.fail(),
          ({ cause }) => cause?.message,
        ),
      );
    }
    assert.deepEqual(causes, [undefined, "broken", "no"]);
  });

  it("aborts the signal of the call that is cancelled", async () => {
    const { call } = await started(
      entryOf({
        wait: (_input, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("aborted"))),
      }),
    );
    const host = new FakeCall();
    const answer = call("wait", "", host);
    await new Promise(setImmediate);
    host.controller.abort();
    assert.equal(await answer, '"aborted"');
  });
});

describe("signals", () => {
  const signals = { usage: { payload: number } };

  it("are checked and sent", async () => {
    const { runtime, call } = await started(
      entryOf({ emit: (input, { experimental_emitSignal: emit }) => emit("usage", input) }, { experimental_signals: signals }),
    );
    await call("emit", "5");
    assert.deepEqual(runtime.sent, [{ type: "signal", signal: "usage", payload: 5 }]);
    await assert.rejects(call("emit", '"x"'), /the payload of "usage" does not fit/);
  });

  it("have to be declared", async () => {
    const { call } = await started(
      entryOf({ emit: (name, context) => context.experimental_emitSignal(name, 1) }, { experimental_signals: signals }),
    );
    for (const name of ["nothing", "toString", "__proto__"]) {
      await assert.rejects(call("emit", JSON.stringify(name)), /experimental_signals has no/);
    }
  });
});

describe("leases", () => {
  it("are taken while a call runs and given back once", async () => {
    let context;
    let lease;
    const { runtime, call } = await started(
      entryOf({
        retain: (_input, given) => {
          context = given;
          lease = given.experimental_retainWorker();
        },
      }),
    );
    await call("retain");
    await lease.dispose().then(() => lease.dispose());
    assert.deepEqual(runtime.sent, [
      { type: "lease-acquire", leaseId: "1" },
      { type: "lease-release", leaseId: "1" },
    ]);
    assert.throws(() => context.experimental_retainWorker(), /the call has ended/);
  });

  it("are given back with a promise, also by the entry's own dispose", async () => {
    let lease;
    const { call, dispose, runtime } = await started(
      entryOf(
        {
          retain: (_input, context) => void (lease = context.experimental_retainWorker()),
        },
        { dispose: () => lease.dispose().then(() => lease.dispose()) },
      ),
    );
    await call("retain");
    await dispose();
    assert.deepEqual(runtime.sent.at(-1), { type: "lease-release", leaseId: "1" });
    assert.deepEqual(runtime.uncaught, []);
  });
});

describe("dispose", () => {
  it("aborts the lifecycle, then the calls, then runs the entry's own", async () => {
    const order = [];
    const { call, dispose } = await started(
      entryOf(
        {
          wait: (_input, { signal, lifecycle }) => {
            lifecycle.signal.addEventListener("abort", () => order.push("lifecycle"));
            return new Promise((resolve) => signal.addEventListener("abort", () => resolve(order.push("call"))));
          },
        },
        { dispose: () => void order.push("dispose") },
      ),
    );
    const answer = call("wait");
    await new Promise(setImmediate);
    await dispose();
    await answer;
    assert.deepEqual(order, ["lifecycle", "call", "dispose"]);
  });

  it("prints what the entry's own throws", async () => {
    const { runtime, dispose } = await started(entryOf({}, { dispose: () => Promise.reject(new Error("stuck")) }));
    await dispose();
    assert.deepEqual(runtime.uncaught, ["stuck"]);
  });
});

describe("watches", () => {
  const watching = async () => {
    const events = [];
    const state = {};
    const worker = await started(
      entryOf(
        {
          watch: async (options, context) => {
            state.watch = await context.experimental_watch(options, (event) => {
              events.push(event);
              if (event.type === "rescan-required") {
                throw new Error("from the callback");
              }
              return state.pending;
            });
          },
        },
        { dispose: () => state.watch?.dispose().then(() => state.watch.dispose()) },
      ),
    );
    const receive = (message) => worker.runtime.handlers.get("watch")("", JSON.stringify(message));
    return { ...worker, events, state, receive };
  };

  it("begin when the daemon says so, and answer each event", async () => {
    const { runtime, call, events, state, receive } = await watching();
    const answer = call("watch", '{"rootPath":"/r"}');
    await new Promise(setImmediate);
    assert.deepEqual(runtime.sent.splice(0), [
      { type: "watch-start", watchId: "1", options: { rootPath: "/r", ignoredPaths: [], debounceMs: 75, maxWaitMs: 500 } },
    ]);
    receive({ type: "watch-ready", watchId: "1" });
    await answer;
    const event = { type: "changed", changes: [{ path: "a", type: "create" }] };
    receive({ type: "watch-event", watchId: "1", sequence: 1, event });
    receive({ type: "watch-event", watchId: "1", sequence: 2, event: { type: "rescan-required" } });
    assert.deepEqual(events, [
      { kind: "changed", ...event },
      { kind: "rescan-required", type: "rescan-required" },
    ]);
    assert.deepEqual(runtime.sent.splice(0), [
      { type: "watch-ack", watchId: "1", sequence: 1 },
      { type: "watch-ack", watchId: "1", sequence: 2 },
    ]);
    assert.deepEqual(runtime.uncaught, ["from the callback"]);
    await state.watch.dispose().then(() => state.watch.dispose());
    assert.deepEqual(runtime.sent, [{ type: "watch-stop", watchId: "1" }]);
    receive({ type: "watch-event", watchId: "1", sequence: 3, event });
    assert.equal(events.length, 2);
  });

  it("ask for the next event when the promise of the listener has settled", async () => {
    const { runtime, call, state, receive, dispose } = await watching();
    const answer = call("watch", '{"rootPath":"/r"}');
    await new Promise(setImmediate);
    receive({ type: "watch-ready", watchId: "1" });
    await answer;
    runtime.sent.splice(0);
    let fail;
    state.pending = new Promise((_resolve, reject) => (fail = reject));
    receive({ type: "watch-event", watchId: "1", sequence: 1, event: { type: "changed", changes: [] } });
    await new Promise(setImmediate);
    assert.deepEqual(runtime.sent, []);
    fail(new Error("later"));
    await new Promise(setImmediate);
    assert.deepEqual(runtime.sent, [{ type: "watch-ack", watchId: "1", sequence: 1 }]);
    assert.deepEqual(runtime.uncaught, ["later"]);
    await dispose();
    assert.deepEqual(runtime.uncaught, ["later"], "a watch can be ended by the entry's own dispose");
  });

  it("reject when the daemon cannot watch, and when the worker ends", async () => {
    const { call, receive, dispose } = await watching();
    const first = call("watch", '{"rootPath":"/r"}');
    await new Promise(setImmediate);
    receive({ type: "watch-start-error", watchId: "1", message: "no such directory" });
    await assert.rejects(first, /experimental_watch: no such directory/);
    const second = call("watch", '{"rootPath":"/r"}');
    await new Promise(setImmediate);
    await dispose();
    await assert.rejects(second, /the worker is stopping/);
    await assert.rejects(call("watch", '{"rootPath":"/r"}'), /the worker is stopping/);
  });

  for (const [options, text] of [
    [{}, /rootPath must be a non-empty string/],
    [{ rootPath: "a" }, /rootPath must be an absolute path/],
    [{ rootPath: `/${"x".repeat(16 * 1024)}` }, /16385 bytes, more than the 16384 of the limit watch-paths/],
    [{ rootPath: "/r", ignoredPaths: Array(4097).fill("a") }, /4097 entries, more than the 4096/],
    [{ rootPath: "/r", ignoredPaths: [1] }, /ignoredPaths\[0\] must be a non-empty string/],
    [{ rootPath: "/r", debounceMs: 9 }, /from 10 to 5000/],
    [{ rootPath: "/r", debounceMs: 5001 }, /from 10 to 5000/],
    [{ rootPath: "/r", maxWaitMs: 30001 }, /to 30000/],
    [{ rootPath: "/r", debounceMs: 1000, maxWaitMs: 500 }, /from 1000 to 30000/],
  ]) {
    it(`refuse ${JSON.stringify(options).slice(0, 60)}`, async () => {
      const { call } = await watching();
      await assert.rejects(call("watch", JSON.stringify(options)), text);
    });
  }

  it("are at most 256", async () => {
    const { call } = await watching();
    for (let index = 0; index < 256; index++) {
      void call("watch", '{"rootPath":"/r"}').catch(() => undefined);
    }
    await new Promise(setImmediate);
    await assert.rejects(call("watch", '{"rootPath":"/r"}'), /limit watch-count/);
  });
});
