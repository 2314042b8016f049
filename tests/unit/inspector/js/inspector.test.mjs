import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { once } from "node:events";
import { url } from "node:inspector";
import { connect } from "node:net";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";
import { load as loadModule } from "../../../support/js/bundle.mjs";

const load = partLoader("modules/inspector/js/inspector.ts");
const { hasClient, mapFrames } = loadModule("modules/inspector/js/inspector.ts");

// Timers are taken when a part is bundled; these are the ones of the test.
const loadFresh = () => partLoader("modules/inspector/js/inspector.ts")();

function loaded() {
  const { runtime } = load();
  return {
    runtime,
    call: (name, meta = "", call = new FakeCall()) => outcomeOf(() => runtime.handlers.get(`inspector.${name}`)(meta, "", call)),
  };
}

describe("inspector address", () => {
  afterEach(async () => void (await loaded().call("close")));

  it("opens once, on this machine only, and pauses the watchdog until it is closed", async () => {
    const plugin = loaded();
    const first = JSON.parse((await plugin.call("open")).value);
    assert.match(first.url, /^ws:\/\/127\.0\.0\.1:\d+\/.{36}$/);
    assert.deepEqual(JSON.parse((await plugin.call("open")).value), first);
    assert.equal(plugin.runtime.watchdogPaused, true);
    assert.deepEqual(await plugin.call("close"), { value: '{"wasOpen":true}' });
    assert.equal(plugin.runtime.watchdogPaused, false);
    assert.equal(url(), undefined);
    assert.deepEqual(await plugin.call("close"), { value: '{"wasOpen":false}' });
  });

  it("closes after ten minutes without a client", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const plugin = { runtime: loadFresh().runtime };
    plugin.runtime.handlers.get("inspector.open")("", "", new FakeCall());
    t.mock.timers.tick(9 * 60_000);
    assert.notEqual(url(), undefined);
    t.mock.timers.tick(60_000);
    assert.equal(url(), undefined);
    assert.equal(plugin.runtime.watchdogPaused, false);
  });

  it("stays while it has a client", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { runtime } = loadFresh();
    const { port } = new URL(JSON.parse(runtime.handlers.get("inspector.open")("", "", new FakeCall())).url);
    const client = connect(Number(port), "127.0.0.1");
    await once(client, "connect");
    t.mock.timers.tick(30 * 60_000);
    assert.notEqual(url(), undefined);
    client.destroy();
  });

  it("knows the connections of its port", () => {
    const table = `  sl  local_address rem_address   st
   0: 0100007F:D431 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 0100007F:A000 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 2
`;
    assert.equal(hasClient(table, 0xd431), false);
    assert.equal(hasClient(table, 0xa000), true);
    assert.equal(hasClient(table, 0xa0), false);
  });

  it("stays open, and the watchdog paused, over a heap snapshot", async () => {
    const plugin = loaded();
    await plugin.call("open");
    await plugin.call("heap", "1");
    assert.equal(plugin.runtime.watchdogPaused, true);
  });
});

describe("profiles", () => {
  it("end when the caller gives up, with what was recorded", async () => {
    const plugin = loaded();
    const call = new FakeCall();
    const running = plugin.call("profile", '{"seconds":60}', call);
    call.controller.abort();
    const profile = JSON.parse((await running).value);
    assert.ok(Array.isArray(profile.nodes));
    assert.ok(profile.endTime >= profile.startTime);
  });

  it("are recorded one at a time", async () => {
    const plugin = loaded();
    const call = new FakeCall();
    const running = plugin.call("profile", '{"seconds":60}', call);
    const { error } = await plugin.call("heap", "1");
    assert.equal(error.wireCode, "conflict");
    assert.match(error.message, /^a profile of this plugin is being recorded/);
    call.controller.abort();
    await running;
    assert.deepEqual(await plugin.call("heap", "1"), { value: undefined });
  });

  it("show positions of the files the author wrote", () => {
    const frame = (path, line) => ({ callFrame: { url: path, lineNumber: line, columnNumber: 4 }, positionTicks: [1] });
    const profile = { nodes: [frame("file:///p/server.ts", 10), frame("", -1), frame("node:fs", 3)] };
    mapFrames(profile, (path) =>
      path === "/p/server.ts"
        ? { findEntry: (line, column) => ({ originalSource: "file:///p/add.ts", originalLine: line - 8, originalColumn: column }) }
        : undefined,
    );
    assert.deepEqual(profile.nodes[0], { callFrame: { url: "file:///p/add.ts", lineNumber: 2, columnNumber: 4 } });
    assert.deepEqual(profile.nodes.slice(1), [frame("", -1), frame("node:fs", 3)]);
  });
});

describe("heap snapshots", () => {
  it("go out chunk by chunk with the number of their file, the watchdog paused meanwhile", async () => {
    const plugin = loaded();
    const paused = [];
    const { callSync } = plugin.runtime;
    plugin.runtime.callSync = (name, argument) => {
      paused.push(plugin.runtime.watchdogPaused);
      return callSync.call(plugin.runtime, name, argument);
    };
    assert.deepEqual(await plugin.call("heap", "17"), { value: undefined });
    const chunks = plugin.runtime.argumentsOf("inspector.chunk");
    assert.ok(chunks.every((chunk) => chunk.startsWith("17\n")));
    const snapshot = JSON.parse(chunks.map((chunk) => chunk.slice(3)).join(""));
    assert.ok(snapshot.snapshot.node_count > 0);
    assert.ok(paused.every(Boolean));
    assert.equal(plugin.runtime.watchdogPaused, false);
  });

  it("fail with what the host says, and leave the next one free", async () => {
    const plugin = loaded();
    plugin.runtime.callSync = () => {
      throw new Error("no space left");
    };
    assert.match((await plugin.call("heap", "1")).error.message, /no space left/);
    assert.equal(plugin.runtime.watchdogPaused, false);
    plugin.runtime.callSync = () => undefined;
    assert.deepEqual(await plugin.call("heap", "2"), { value: undefined });
  });
});
