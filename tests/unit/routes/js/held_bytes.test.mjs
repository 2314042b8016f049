import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { load } from "../../../support/js/bundle.mjs";
import { FakeCall, partLoader } from "../../../support/js/part_harness.mjs";

// What is tested takes the clock when it is loaded.
const realNow = performance.now.bind(performance);
let ahead = 0;
performance.now = () => realNow() + ahead;

const { HeldBytes } = load("modules/routes/js/held_bytes.ts");
const loadHttp = partLoader("modules/routes/js/http.ts");
setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function budget(limit) {
  const warnings = [];
  const held = new HeldBytes({ svc: { log: { warn: (text) => void warnings.push(text) } } }, limit);
  return { held, warnings };
}

function stream(name, waitsSince, cuts) {
  return { route: `GET /${name}`, waitsSince, cut: () => void cuts.push(name) };
}
const msAgo = (ms) => performance.now() - ms;

test("under the limit nobody is cut off", () => {
  const { held, warnings } = budget(100);
  const cuts = [];
  held.hold(stream("a", 1, cuts), 60);
  held.hold(stream("b", 2, cuts), 40);
  assert.deepEqual([held.total, cuts, warnings], [100, [], []]);
});

test("over the limit those are cut off that have waited longest, and the log names the limit and the value", () => {
  const { held, warnings } = budget(100);
  const cuts = [];
  held.hold(stream("young", msAgo(600), cuts), 50);
  held.hold(stream("old", msAgo(700), cuts), 25);
  held.hold(stream("older", msAgo(800), cuts), 25);
  held.hold(stream("new", undefined, cuts), 45);
  assert.deepEqual([held.total, cuts], [95, ["older", "old"]]);
  assert.match(warnings[0], /^GET \/older: a client that reads slowly was cut off, .* hold 145 bytes .* the limit is 100 bytes$/);
});

test("a stream that begins has room when it is alone, or when others have taken nothing for a while", () => {
  const { held } = budget(100);
  const cuts = [];
  const old = stream("old", performance.now() - 6000, cuts);
  assert.equal(held.admit(old, 150), true);
  assert.equal(held.admit(stream("b", performance.now(), cuts), 60), true);
  assert.deepEqual(cuts, ["old"]);
  assert.equal(held.admit(stream("c", undefined, cuts), 60), false);
  assert.deepEqual([held.total, cuts], [60, ["old"]]);
});

test("a client that keeps up and a body that is being read are not cut off", () => {
  const { held } = budget(100);
  const cuts = [];
  held.hold(stream("fast", undefined, cuts), 80);
  assert.equal(held.tryHold({ route: "POST /x" }, 20), true);
  held.hold(stream("other", undefined, cuts), 50);
  assert.deepEqual([held.total, cuts], [150, []]);
});

test("a client that was given a piece just now is not cut off because another stream has a large one", () => {
  const { held } = budget(100);
  const cuts = [];
  held.hold(stream("fast", msAgo(400), cuts), 10);
  held.hold(stream("large", undefined, cuts), 600);
  assert.deepEqual([held.total, cuts], [610, []]);
  held.hold(stream("slow", msAgo(600), cuts), 10);
  assert.deepEqual(cuts, ["slow"]);
});

test("bodies are refused over the limit, and what is released counts no longer", () => {
  const { held } = budget(100);
  const first = { route: "POST /x" };
  assert.equal(held.tryHold(first, 60), true);
  assert.equal(held.tryHold(first, 30), true);
  assert.equal(held.tryHold({ route: "POST /y" }, 11), false);
  held.release(first);
  held.release(first);
  assert.equal(held.total, 0);
});

test("the limit of an environment is that of its heap", () => {
  assert.ok(budget(undefined).held.limit > 1024 * 1024);
});

/** Requests of one route whose clients take nothing. */
function slowReaders(handler) {
  const plugin = loadHttp();
  plugin.svc.http.route("GET", "/x", handler);
  const waiting = [];
  plugin.runtime.onTransfer = (name) => (name === "http.write" ? new Promise((resolve) => waiting.push(resolve)) : undefined);
  const request = (id) => {
    const facts = { id, route: "GET /x", method: "GET", url: "http://127.0.0.1:1/x", headers: [], hasBody: false };
    return plugin.runtime.handlers.get("http.request")(JSON.stringify(facts), "", new FakeCall());
  };
  return { request, waiting, plugin };
}

/** Streams whose pieces say that they are as large as that, without taking the memory. */
function largePieces(bytes, cancelled) {
  const piece = new Uint8Array(0);
  Object.defineProperty(piece, "length", { value: bytes });
  const reader = { read: async () => ({ done: false, value: piece }), cancel: async () => void cancelled.push(1) };
  return () => ({ status: 200, headers: new Headers(), body: { getReader: () => reader } });
}
const { heap_size_limit: kLimit } = process.getBuiltinModule("node:v8").getHeapStatistics();

test("a stream is refused before its head when the plugin holds too much for clients that only just wait", async () => {
  const cancelled = [];
  const { request, waiting, plugin } = slowReaders(largePieces(kLimit / 4, cancelled));
  void request("1");
  while (waiting.length < 1) {
    await nextTurn();
  }
  await assert.rejects(request("2"), (error) => {
    assert.equal(error.wireCode, "overloaded");
    return /^streamed responses hold \d+ bytes of the plugin's memory, the limit is \d+ bytes; try again$/.test(error.message);
  });
  assert.equal(cancelled.length, 1);
  assert.deepEqual(
    plugin.runtime.transfers.filter(({ name }) => name === "http.begin").map(({ argument }) => argument[0]),
    ["1"],
  );
});

test("a stream whose client has waited longest is cancelled and cut when the pieces of others become too much", async () => {
  const cancelled = [];
  let size = kLimit / 8;
  const make = () => largePieces(size, cancelled)();
  const { request, waiting, plugin } = slowReaders(make);
  const warnings = [];
  plugin.svc.log = { warn: (text) => void warnings.push(text) };
  const first = request("1");
  while (waiting.length < 1) {
    await nextTurn();
  }
  ahead += 1000;
  // It begins slowly, so that its first piece comes when it has been admitted.
  size = kLimit / 3;
  plugin.svc.http.route("GET", "/late", async () => {
    const { body, ...head } = make();
    const { read, cancel } = body.getReader();
    return { ...head, body: { getReader: () => ({ read: async () => (await nextTurn(), await nextTurn(), read()), cancel }) } };
  });
  const facts = { id: "2", route: "GET /late", method: "GET", url: "http://127.0.0.1:1/x", headers: [], hasBody: false };
  void plugin.runtime.handlers.get("http.request")(JSON.stringify(facts), "", new FakeCall());
  assert.equal(await first, "cut");
  assert.deepEqual([cancelled.length, warnings.length], [1, 1]);
});

test("a burst of requests is spread over turns of the loop", async () => {
  const plugin = loadHttp();
  let called = 0;
  plugin.svc.http.route("GET", "/x", (c) => ((called += 1), c.text("")));
  const facts = (id) => ({ id: String(id), route: "GET /x", method: "GET", url: "http://127.0.0.1:1/x", headers: [], hasBody: false });
  const handler = plugin.runtime.handlers.get("http.request");
  const answers = Array.from({ length: 20 }, (_, id) => handler(JSON.stringify(facts(id)), "", new FakeCall()));
  const perTurn = [called];
  while (called < 20) {
    await nextTurn();
    perTurn.push(called);
  }
  assert.deepEqual(perTurn, [8, 16, 20]);
  await Promise.all(answers);
});

test("a slow client keeps one piece of a stream, not those that went before", async () => {
  const pieces = new FinalizationRegistry(() => void (freed += 1));
  let freed = 0;
  let made = 0;
  const { request, waiting } = slowReaders(
    () =>
      new Response(
        new ReadableStream(
          {
            async pull(controller) {
              await nextTurn();
              const piece = new Uint8Array(1024);
              pieces.register(piece);
              made += 1;
              controller.enqueue(piece);
            },
          },
          { highWaterMark: 0 },
        ),
      ),
  );
  void request("1");
  for (let taken = 0; taken < 8; taken += 1) {
    while (waiting.length === 0) {
      await nextTurn();
    }
    waiting.shift()();
  }
  while (waiting.length === 0) {
    await nextTurn();
  }
  for (let round = 0; round < 50 && freed < made - 2; round += 1) {
    gc();
    await nextTurn();
  }
  assert.ok(freed >= made - 2, `${made} pieces were made, ${freed} are freed`);
});

/** One request whose body is one piece that says it is as large as that. */
function posting(bytes, handler) {
  const plugin = loadHttp();
  plugin.svc.http.route("POST", "/x", handler);
  const piece = new Uint8Array(1);
  Object.defineProperty(piece, "length", { value: bytes });
  const pieces = [piece];
  plugin.runtime.onTransfer = (name) => (name === "http.read" ? Promise.resolve(pieces.shift()) : undefined);
  const facts = {
    id: "1",
    route: "POST /x",
    method: "POST",
    url: "http://127.0.0.1:1/x",
    headers: [["content-type", "text/plain"]],
    hasBody: true,
  };
  return plugin.runtime.handlers.get("http.request")(JSON.stringify(facts), "", new FakeCall());
}

for (const [how, read] of Object.entries({
  "c.req.text()": (c) => c.req.text(),
  "c.req.raw.text()": (c) => c.req.raw.text(),
  "c.req.raw.arrayBuffer()": (c) => c.req.raw.arrayBuffer(),
  "c.req.raw.blob()": (c) => c.req.raw.blob(),
  "a clone": (c) => c.req.raw.clone().text(),
  both: (c) => (c.req.raw, c.req.arrayBuffer()),
})) {
  test(`a body that is too much for the plugin is refused when it is collected with ${how}`, async () => {
    await assert.rejects(
      posting(kLimit + 1, async (c) => c.json(await read(c))),
      (error) => {
        assert.equal(error.wireCode, "overloaded");
        return /^the bodies of the requests that the plugin is reading take \d+ bytes/.test(error.message);
      },
    );
  });
}

test("a body whose stream the handler reads piece by piece is not counted", async () => {
  let read = 0;
  await posting(kLimit + 1, async (c) => {
    for await (const piece of c.req.raw.body) {
      read += piece.length;
    }
    return c.text("");
  });
  assert.ok(read > kLimit);
});
