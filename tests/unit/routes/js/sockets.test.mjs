import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/routes/js/http.ts");

/** One plugin with one WebSocket route and one connection. */
class Plugin {
  constructor(factory, options) {
    Object.assign(this, load());
    const original = this.runtime.callSync.bind(this.runtime);
    this.runtime.callSync = (name, argument) => {
      original(name, argument);
      return name === "http.messageLimit" ? "16" : undefined;
    };
    this.svc.http.experimental_websocket("/live", factory, options);
  }
  host(name, meta, body = "") {
    return this.runtime.handlers.get(`http.${name}`)(meta, body, new FakeCall());
  }
  upgrade(url = "http://h/live?a=1", headers = [["origin", "x"]]) {
    return this.host("upgrade", JSON.stringify({ id: "3", route: "/live", method: "GET", url, headers, hasBody: false }));
  }
  async open() {
    await this.upgrade();
    await this.host("open", "3");
    return this;
  }
  close(code = 1000, reason = "") {
    return this.host("closed", JSON.stringify({ id: "3", code, reason }));
  }
  sent() {
    return this.runtime.argumentsOf("http.sendText");
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("registers the path with the host", () => {
  const plugin = new Plugin(() => ({}), { auth: "token" });
  assert.deepEqual(plugin.runtime.argumentsOf("http.addSocket").map(JSON.parse), [{ path: "/live", auth: "token" }]);
});

test("refuses a path twice and arguments that are none", () => {
  const { svc } = new Plugin(() => ({}));
  const add = svc.http.experimental_websocket;
  assert.throws(() => add("/live", () => ({})), { message: 'http.experimental_websocket: duplicate name "/live"' });
  assert.throws(() => add("live2", () => ({})), { message: /must start with "\/"/ });
  assert.throws(() => add("/live2"), { message: /must be a function, is undefined/ });
});

test("the factory sees the request", async () => {
  let seen;
  await new Plugin((request) => ((seen = request), {})).open();
  assert.equal(seen.url.searchParams.get("a"), "1");
  assert.equal(seen.headers.get("origin"), "x");
  assert.equal(seen.request.method, "GET");
});

test("a factory that fails or gives no handlers refuses the connection", async () => {
  for (const factory of [
    () => {
      throw new Error("no");
    },
    async () => {
      throw new Error("no");
    },
    () => undefined,
    () => "x",
  ]) {
    const { error } = await outcomeOf(() => new Plugin(factory).upgrade());
    assert.ok(error);
  }
});

test("messages go both ways, text as text and bytes as bytes", async () => {
  const got = [];
  const plugin = await new Plugin(() => ({
    onOpen: (socket) => socket.send("hello"),
    onMessage: (socket, data) => (got.push(data), socket.send(data)),
  })).open();
  await plugin.host("text", "3", "hi there");
  await plugin.host("binary", "3", new Uint8Array([1, 2]));
  assert.deepEqual(got, ["hi there", new Uint8Array([1, 2])]);
  assert.deepEqual(plugin.sent(), ["3 hello", "3 hi there"]);
  assert.deepEqual(
    plugin.runtime.transfers.map(({ name, argument, bytes }) => [name, argument, bytes]),
    [["http.sendBinary", "3", new Uint8Array([1, 2])]],
  );
});

test("callbacks run one at a time, in the order of the events", async () => {
  const order = [];
  let openDone;
  const plugin = new Plugin(() => ({
    onOpen: () => new Promise((resolve) => (openDone = resolve)).then(() => order.push("open")),
    onMessage: async (_, data) => {
      order.push(`${data}…`);
      await turn();
      order.push(data);
    },
    onClose: () => order.push("closed"),
  }));
  await plugin.upgrade();
  const events = [plugin.host("open", "3"), plugin.host("text", "3", "a"), plugin.host("text", "3", "b"), plugin.close()];
  await turn();
  assert.deepEqual(order, []);
  openDone();
  await Promise.all(events);
  assert.deepEqual(order, ["open", "a…", "a", "b…", "b", "closed"]);
});

test("readyState follows the connection", async () => {
  const states = [];
  let socket;
  const plugin = await new Plugin(() => ({
    onOpen: (opened) => states.push((socket = opened).readyState),
    onClose: (closed) => states.push(closed.readyState),
  })).open();
  socket.close(4001, "enough");
  states.push(socket.readyState);
  socket.close();
  assert.deepEqual(plugin.runtime.argumentsOf("http.closeSocket").map(JSON.parse), [{ id: "3", code: 4001, reason: "enough" }]);
  await plugin.close(4001, "enough");
  assert.deepEqual(states, [1, 2, 3]);
});

test("send throws when the socket is not open", async () => {
  let socket;
  const plugin = await new Plugin(() => ({ onOpen: (opened) => void (socket = opened) })).open();
  socket.close();
  assert.throws(() => socket.send("x"), { message: "socket.send: the socket is not open" });
  await plugin.close();
  assert.throws(() => socket.send("x"), { message: "socket.send: the socket is not open" });
  assert.deepEqual(plugin.sent(), []);
});

test("send refuses what is no message, and names the limit and the size", async () => {
  let socket;
  await new Plugin(() => ({ onOpen: (opened) => void (socket = opened) })).open();
  assert.throws(() => socket.send({ a: 1 }), {
    name: "TypeError",
    message: "socket.send: the data must be a string or bytes, is an object",
  });
  assert.throws(() => socket.send("é".repeat(9)), { name: "RangeError", message: /larger than pluginWsMessage, 16 bytes \(18 bytes\)/ });
  assert.throws(() => socket.send(new Uint8Array(17)), { name: "RangeError" });
});

test("close refuses codes and reasons that the protocol does not have", async () => {
  let socket;
  const plugin = await new Plugin(() => ({ onOpen: (opened) => void (socket = opened) })).open();
  for (const code of [0, 999, 1005, 1006, 1015, 2000, 5000, 1000.5, "1000"]) {
    assert.throws(() => socket.close(code), RangeError);
  }
  assert.throws(() => socket.close(1000, "x".repeat(124)), { message: /longer than 123 bytes \(124 bytes\)/ });
  assert.equal(socket.readyState, 1);
  assert.deepEqual(plugin.runtime.argumentsOf("http.closeSocket"), []);
});

test("onClose can be written with one argument and with two", async () => {
  const got = [];
  const plugin = await new Plugin(() => ({
    onClose: (closed, info) => void got.push([closed.code, closed.reason, info, closed.readyState]),
  })).open();
  await plugin.close(1012, "reloaded");
  assert.deepEqual(got, [[1012, "reloaded", { code: 1012, reason: "reloaded" }, 3]]);
});

test("a callback that throws goes to onError, fails its call, and the socket stays", async () => {
  const errors = [];
  const plugin = await new Plugin(() => ({
    onMessage: (socket, data) => {
      if (data === "bad") {
        throw new Error("boom");
      }
      socket.send(data);
    },
    onError: (socket, error) => void errors.push([socket.readyState, error.message]),
  })).open();
  const { error } = await outcomeOf(() => plugin.host("text", "3", "bad"));
  assert.equal(error.message, "boom");
  assert.deepEqual(errors, [[1, "boom"]]);
  await plugin.host("text", "3", "good");
  assert.deepEqual(plugin.sent(), ["3 good"]);
});

test("a connection that never opened is forgotten without a callback", async () => {
  let closed = false;
  const plugin = new Plugin(() => ({ onClose: () => void (closed = true) }));
  await plugin.upgrade();
  await plugin.close(1006);
  assert.equal(closed, false);
  assert.equal(plugin.host("open", "3"), undefined);
});

test("handlers are optional and keep their object", async () => {
  await (await new Plugin(() => ({})).open()).host("text", "3", "x");
  class Handlers {
    name = "mine";
    onMessage(socket) {
      socket.send(this.name);
    }
  }
  const plugin = await new Plugin(() => new Handlers()).open();
  await plugin.host("text", "3", "x");
  assert.deepEqual(plugin.sent(), ["3 mine"]);
});
