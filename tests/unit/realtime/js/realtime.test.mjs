import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/realtime/js/realtime.ts");
const kLimit = 1024 * 1024;

describe("realtime.publish", () => {
  it("sends channel and payload as two JSON lines", () => {
    const { svc, runtime } = load();
    svc.realtime.publish("todos\nchanged", { text: "a\nb" });
    assert.deepEqual(runtime.argumentsOf("realtime.publish"), ['"todos\\nchanged"\n{"text":"a\\nb"}']);
  });

  it("sends a missing payload as null", () => {
    const { svc, runtime } = load();
    svc.realtime.publish("x");
    svc.realtime.publish("x", undefined);
    assert.deepEqual(runtime.argumentsOf("realtime.publish"), ['"x"\nnull', '"x"\nnull']);
  });

  it("serialises at the call", () => {
    const { svc, runtime } = load();
    const payload = { count: 1 };
    svc.realtime.publish("x", payload);
    payload.count = 2;
    assert.deepEqual(runtime.argumentsOf("realtime.publish"), ['"x"\n{"count":1}']);
  });

  for (const channel of ["", undefined, 5, null]) {
    it(`refuses the channel ${JSON.stringify(channel)}`, () => {
      const { svc } = load();
      assert.throws(() => svc.realtime.publish(channel, {}), {
        message: "realtime.publish: the channel must be a non-empty string",
      });
    });
  }

  it("refuses a payload that is not JSON", () => {
    const { svc, runtime } = load();
    const cycle = {};
    cycle.self = cycle;
    for (const payload of [1n, () => 1, { a: Number.NaN }, cycle, Symbol("x")]) {
      assert.throws(() => svc.realtime.publish("x", payload), /^TypeError: realtime\.publish: the payload is not JSON/);
    }
    assert.deepEqual(runtime.hostCalls, []);
  });

  it("accepts the limit and names both sizes above it", () => {
    const { svc, runtime } = load();
    svc.realtime.publish("x", "a".repeat(kLimit - 2));
    assert.equal(runtime.hostCalls.length, 1);
    assert.throws(
      () => svc.realtime.publish("x", "a".repeat(kLimit - 1)),
      /realtime\.publish: the payload has 1048577 bytes as JSON, the limit signalPayload is 1048576/,
    );
  });

  it("counts bytes, not characters", () => {
    const { svc } = load();
    assert.throws(() => svc.realtime.publish("x", "é".repeat(kLimit / 2)), /1048578 bytes/);
  });
});
