import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { outcomeOf } from "../../../support/js/part_harness.mjs";
import { load } from "./sdk_service.mjs";

const ok = (body) => ({ status: 200, body: { ok: true, ...body } });
const kGone = { status: 404, body: { ok: false, error: { code: "not_found", message: "there is no thread" } } };

/** A service whose thread has these states, one at each look, the last one for ever. */
function service(states, { queued = [], event = null } = {}) {
  return load(({ target }) => {
    if (target.includes("/queued-messages")) {
      return ok({ queuedMessages: queued });
    }
    if (target.includes("/events/wait")) {
      return states.shift() === "gone" ? kGone : ok({ event: states.length === 0 ? event : null });
    }
    const status = states.length > 1 ? states.shift() : states[0];
    return status === "gone" ? kGone : ok({ thread: { id: "thr_1", status } });
  });
}

/** The outcome, with every pause over as soon as it begins. */
async function outcome(sdk, argument) {
  let settled;
  const waiting = outcomeOf(() => sdk.threads.wait({ threadId: "thr_1", ...argument })).finally(() => (settled = true));
  while (settled === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(1000);
  }
  return waiting;
}

describe("threads.wait", () => {
  it("is over at once when the status holds", async () => {
    const { sdk, requests } = service(["idle"]);
    const { value } = await outcome(sdk, { status: "idle" });
    assert.deepEqual(value, {
      matched: true,
      threadId: "thr_1",
      target: { kind: "status", status: "idle" },
      thread: { id: "thr_1", status: "idle" },
    });
    assert.equal(requests.length, 1);
  });

  it("looks again until the status holds", async () => {
    const { sdk, requests } = service(["starting", "active", "active", "idle"]);
    const { value } = await outcome(sdk, { status: "idle", pollIntervalMs: 10 });
    assert.equal(value.thread.status, "idle");
    assert.equal(requests.length, 4);
  });

  it("waits for an event with the service", async () => {
    const event = { type: "turn/completed", seq: 7 };
    const { sdk, requests } = service(["none", "none", "now"], { event });
    const { value } = await outcome(sdk, { event: "turn/completed", timeoutMs: "60000" });
    assert.deepEqual(value, { matched: true, threadId: "thr_1", target: { kind: "event", eventType: "turn/completed" }, event });
    assert.equal(requests.length, 3);
    assert.match(requests[0].target, /^\/api\/v1\/threads\/thr_1\/events\/wait\?type=turn%2Fcompleted&waitMs=5000$/);
  });

  it("ends with its time", async () => {
    for (const wanted of [{ status: "idle" }, { event: "turn/completed" }]) {
      const { error } = await outcome(service(["active", "active"]).sdk, { ...wanted, timeoutMs: 0 });
      assert.equal(error.name, "ThreadWaitTimeoutError");
      assert.match(error.message, /within 0 ms/);
    }
  });

  it("says when the thread is gone", async () => {
    for (const wanted of [{ status: "idle" }, { event: "turn/completed" }]) {
      const { error } = await outcome(service(["active", "gone"]).sdk, wanted);
      assert.equal(error.name, "ThreadWaitUnreachableError");
    }
  });

  it("gives up on a thread that has failed, unless a message waits or that is what is wanted", async () => {
    const { error } = await outcome(service(["error"]).sdk, { status: "idle" });
    assert.equal(error.name, "ThreadWaitUnreachableError");
    const { value } = await outcome(service(["error", "starting", "idle"], { queued: [{ id: "qm_1" }] }).sdk, { status: "idle" });
    assert.equal(value.thread.status, "idle");
    assert.equal((await outcome(service(["error"]).sdk, { status: "error" })).value.thread.status, "error");
  });

  it("passes other failures on", async () => {
    const { sdk } = load(() => ({ status: 503, body: { ok: false, error: { code: "overloaded", message: "later" } } }));
    const { error } = await outcome(sdk, { status: "idle" });
    assert.equal(error.name, "HttpError");
    assert.equal(error.code, "overloaded");
  });

  it("ends with its signal", async () => {
    const controller = new AbortController();
    const { sdk } = service(["active"]);
    const waiting = outcomeOf(() => sdk.threads.wait({ threadId: "thr_1", status: "idle", signal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    assert.equal((await waiting).error.name, "AbortError");
  });

  it("refuses times that are none", async () => {
    const { error } = await outcome(service(["active"]).sdk, { status: "idle", timeoutMs: "soon" });
    assert.match(error.message, /timeoutMs must be a number of milliseconds/);
  });
});
