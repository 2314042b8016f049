import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const loadEvents = partLoader("modules/agents/js/events.ts");
const loadHooks = partLoader("modules/agents/js/hooks.ts");
const kHook = "message.dispatch";

describe("events.on", () => {
  it("refuses unknown events and handlers that are no functions", () => {
    const { svc } = loadEvents();
    assert.throws(() => svc.events.on("thread.renamed", () => undefined), {
      name: "TypeError",
      message: /^events.on: unknown event "thread.renamed"; events are thread.created, /,
    });
    assert.throws(() => svc.events.on("thread.created", 1), { message: /the handler of "thread.created" must be a function, is a number/ });
  });

  it("tells of each listener alone, and once when it is taken back", () => {
    const { svc, runtime } = loadEvents();
    const stop = svc.events.on("thread.created", () => undefined);
    svc.events.on("thread.created", () => undefined);
    svc.events.on("turn.failed", () => undefined);
    stop();
    stop();
    const told = (name) => runtime.argumentsOf(name).map((argument) => JSON.parse(argument));
    assert.deepEqual(told("events.on"), [
      { event: "thread.created", id: 1 },
      { event: "thread.created", id: 2 },
      { event: "turn.failed", id: 3 },
    ]);
    assert.deepEqual(told("events.off"), [{ event: "thread.created", id: 1 }]);
  });

  it("accepts the event that is never sent and says so", () => {
    const { svc, api, runtime } = loadEvents();
    svc.events.on("experimental_terminal.input", () => undefined)();
    assert.deepEqual(api.unsupportedMembers, ['events.on("experimental_terminal.input")']);
    assert.deepEqual(runtime.argumentsOf("events.on"), []);
  });

  it("hands the payload to the handler and its failure to the host", async () => {
    const { svc, runtime } = loadEvents();
    const seen = [];
    const stop = svc.events.on("thread.idle", (payload) => void seen.push(payload));
    svc.events.on("thread.idle", async () => {
      throw new Error("bad day");
    });
    svc.events.on("thread.idle", () => {
      throw new Error("worse day");
    });
    const emit = (id) => outcomeOf(() => runtime.handlers.get("events.emit")(id, '{"a":1}', new FakeCall()));
    assert.deepEqual(await emit("1"), { value: undefined });
    assert.deepEqual(seen, [{ a: 1 }]);
    assert.equal((await emit("2")).error.message, "bad day");
    assert.equal((await emit("3")).error.message, "worse day");
    stop();
    await emit("1");
    assert.equal(seen.length, 1);
  });
});

describe("experimental_hooks", () => {
  const deciding = (handler) => {
    const part = loadHooks();
    part.svc.experimental_hooks.on(kHook, handler);
    return {
      ...part,
      decide: (context = {}) =>
        outcomeOf(async () => JSON.parse(await part.runtime.handlers.get("hooks.decide")(kHook, JSON.stringify(context), new FakeCall()))),
    };
  };

  it("knows one hook, with one handler", () => {
    const { svc, api } = deciding(() => ({ kind: "proceed" }));
    assert.deepEqual(api.registrations.get("hooks"), [kHook]);
    assert.throws(() => svc.experimental_hooks.on(kHook, () => undefined), {
      message: 'experimental_hooks.on: duplicate name "message.dispatch"',
    });
    assert.throws(() => svc.experimental_hooks.on("other", () => undefined), {
      message: /unknown hook "other"; the only hook is "message.dispatch"/,
    });
    assert.throws(() => svc.experimental_hooks.recheck("other"), { message: /^experimental_hooks.recheck: unknown hook/ });
  });

  it("tells the host to look again", () => {
    const { svc, runtime } = loadHooks();
    svc.experimental_hooks.recheck(kHook);
    assert.deepEqual(runtime.argumentsOf("hooks.recheck"), ['"message.dispatch"']);
  });

  it("answers the decision of the handler", async () => {
    for (const decision of [{ kind: "proceed" }, { kind: "reject", message: "no" }, { kind: "wait", reason: "later", sendAt: 5 }]) {
      assert.deepEqual((await deciding(async () => decision).decide()).value, decision);
    }
  });

  const broken = [
    [
      "a throw",
      () => {
        throw new Error("no");
      },
      /^no$/,
    ],
    ["nothing", () => undefined, /returned undefined, expected proceed, wait or reject/],
    ["another kind", () => ({ kind: "maybe" }), /returned the kind "maybe"/],
    ["a wait without a reason", () => ({ kind: "wait" }), /returned a wait without a reason/],
    ["a long reason", () => ({ kind: "wait", reason: "x".repeat(201) }), /a reason of 201 characters, the limit waitReason is 200/],
    ["a sendAt that is no time", () => ({ kind: "wait", reason: "r", sendAt: "now" }), /a sendAt that is not a time/],
    ["a reject without a message", () => ({ kind: "reject" }), /a reject without a message/],
  ];
  for (const [what, handler, message] of broken) {
    it(`fails with words for ${what}`, async () => {
      const { error } = await deciding(handler).decide();
      assert.equal(error.wireCode, "handler_error");
      assert.match(error.message, message);
    });
  }
});
