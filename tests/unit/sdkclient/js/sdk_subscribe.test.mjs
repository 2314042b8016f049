import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { FakeCall } from "../../../support/js/part_harness.mjs";
import { load } from "./sdk_service.mjs";

describe("svc.sdk.subscribe", () => {
  /** Subscribes and tells; what was called back. */
  function subscribed(options) {
    const { sdk, api, runtime } = load();
    const seen = [];
    const stop = sdk.subscribe({ ...options, callback: (notice) => seen.push(notice) });
    const notify = (event, notice) => {
      runtime.handlers.get("sdk.notify")(event, JSON.stringify(notice), new FakeCall());
      mock.timers.tick(0);
    };
    return { api, seen, stop, notify };
  }

  it("announces what is waited for and delivers the whole message", () => {
    const { api, seen, stop, notify } = subscribed({ event: "system:changed" });
    assert.deepEqual(api.registrations.get("sdk-subscriptions"), ["system:changed"]);
    notify("system:changed", { changes: ["plugins-changed"] });
    assert.deepEqual(seen, [{ type: "changed", entity: "system", changes: ["plugins-changed"] }]);
    stop();
    assert.deepEqual(api.registrations.get("sdk-subscriptions"), []);
    notify("system:changed", { changes: ["plugins-changed"] });
    assert.equal(seen.length, 1);
  });

  for (const ids of [{ threadId: "a" }, { selector: { threadId: "a" } }, { threadId: "a", hostId: "other" }]) {
    it(`tells of one record only with ${JSON.stringify(ids)}`, () => {
      const { seen, notify } = subscribed({ event: "thread:changed", ...ids });
      notify("thread:changed", { id: "b", changes: ["title-changed"] });
      notify("thread:changed", { changes: ["order-changed"] });
      notify("thread:changed", { id: "a", changes: ["status-changed"], metadata: { projectId: "p" } });
      assert.deepEqual(seen, [{ type: "changed", entity: "thread", id: "a", changes: ["status-changed"], metadata: { projectId: "p" } }]);
    });
  }

  it("tells of every record without an id, and ignores one that is not of the event", () => {
    const { seen, notify } = subscribed({ event: "host:changed", threadId: "a" });
    notify("host:changed", { id: "h", changes: ["host-connected"] });
    assert.deepEqual(seen, [{ type: "changed", entity: "host", id: "h", changes: ["host-connected"] }]);
  });

  it("says once that it is connected", () => {
    const { seen } = subscribed({ event: "realtime:connection" });
    assert.deepEqual(seen, []);
    mock.timers.tick(0);
    assert.deepEqual(seen, [{ state: "connected", reconnected: false, reconnectDelayMs: null }]);
  });

  it("refuses unknown events and callbacks that are no functions", () => {
    const { sdk } = load();
    assert.throws(() => sdk.subscribe({ event: "x", callback: () => undefined }), {
      message: /^sdk.subscribe: unknown event "x"; events are thread:changed/,
    });
    assert.throws(() => sdk.subscribe({ event: "thread:changed" }), { message: /callback must be a function, is undefined/ });
    const callback = () => undefined;
    assert.throws(() => sdk.subscribe({ event: "thread:changed", callback, threadId: 5 }), {
      message: "sdk.subscribe: threadId must be text, is a number",
    });
  });
});
