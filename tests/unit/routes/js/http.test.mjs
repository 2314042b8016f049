import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCall, outcomeOf, partLoader } from "../../../support/js/part_harness.mjs";

const load = partLoader("modules/routes/js/http.ts");
const text = (bytes) => new TextDecoder().decode(bytes);

/** One plugin with a fake host behind its requests. */
class Plugin {
  constructor() {
    Object.assign(this, load());
    this.call = new FakeCall();
    this.bodies = [];
    this.runtime.onTransfer = (name) => (name === "http.read" ? this.bodies.shift() : undefined);
  }

  route(...args) {
    this.svc.http.route(...args);
    return this;
  }

  /** Runs the handler; what it sent: `{ status, headers, body, calls, answer }`. */
  async request(route, { url = "http://127.0.0.1:1/api/v1/plugins/todo/http/x", headers = [], body, method } = {}) {
    if (body !== undefined) {
      this.bodies = body.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
    }
    const facts = { id: "7", route, method: method ?? route.split(" ")[0], url, headers, hasBody: body !== undefined };
    const answer = await this.runtime.handlers.get("http.request")(JSON.stringify(facts), "", this.call);
    const sent = this.runtime.transfers.filter(({ name }) => name !== "http.read");
    const head = sent.find(({ name }) => name === "http.respond" || name === "http.begin");
    const parsed = head && JSON.parse(head.argument.slice(head.argument.indexOf(" ")));
    return {
      answer,
      calls: sent.map(({ name }) => name.slice("http.".length)),
      status: parsed?.status,
      headers: parsed?.headers,
      body: text(Buffer.concat(sent.map(({ bytes }) => bytes ?? new Uint8Array(0)))),
    };
  }
}

/** A response of `count` pieces, each in a turn of its own. */
function endless(count, piece, cancel = () => undefined) {
  let open = true;
  return new Response(
    new ReadableStream(
      {
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve));
          if (open) {
            count-- > 0 ? controller.enqueue(piece) : controller.close();
          }
        },
        cancel: () => ((open = false), cancel()),
      },
      { highWaterMark: 0 },
    ),
  );
}

const answering = (make) => new Plugin().route("GET", "/x", make);

test("registers a route with the host", () => {
  const plugin = new Plugin().route("post", "/a b", () => undefined, { auth: "none" });
  assert.deepEqual(plugin.runtime.argumentsOf("http.addRoute").map(JSON.parse), [{ method: "POST", path: "/a b", auth: "none" }]);
});

test("a route without options is local", () => {
  assert.equal(JSON.parse(answering(() => undefined).runtime.argumentsOf("http.addRoute")[0]).auth, "local");
});

for (const [why, args, message] of [
  ["an unknown method", ["TRACE", "/x", () => undefined], /^http.route: the method must be one of GET, POST.* is "TRACE"$/],
  ["a method that is no text", [7, "/x", () => undefined], /is a number$/],
  ["a path without a slash", ["GET", "x", () => undefined], /^http.route: the path "x" must start with "\/"$/],
  ["a path that is no text", ["GET", null, () => undefined], /^http.route: the path must be a string, is null$/],
  ["a path with a null character", ["GET", "/\0", () => undefined], /null character/],
  ["a handler that is no function", ["GET", "/x", {}], /^http.route: the handler must be a function, is an object$/],
  ["options that are no object", ["GET", "/x", () => undefined, "none"], /^http.route: options must be an object/],
  ["an unknown auth", ["GET", "/x", () => undefined, { auth: "public" }], /^http.route: auth must be .*is "public"$/],
]) {
  test(`refuses ${why} and registers nothing`, () => {
    const plugin = new Plugin();
    assert.throws(() => plugin.svc.http.route(...args), { name: "TypeError", message });
    assert.deepEqual(plugin.runtime.argumentsOf("http.addRoute"), []);
  });
}

test("refuses the same method and path twice, whatever their case", () => {
  const plugin = answering(() => undefined);
  assert.throws(() => plugin.svc.http.route("get", "/x", () => undefined), { message: 'http.route: duplicate name "GET /x"' });
  plugin.route("POST", "/x", () => undefined).route("GET", "/X", () => undefined);
});

test("an unknown option is ignored and reported", () => {
  const plugin = new Plugin().route("GET", "/x", () => undefined, { cors: true });
  assert.equal(plugin.api.problems[0].code, "unknown_field");
});

test("registering is refused once the svc object is stale", () => {
  const plugin = new Plugin();
  plugin.api.stale = true;
  assert.throws(() => plugin.svc.http.route("GET", "/x", () => undefined), { name: "PluginContextStaleError" });
  assert.throws(() => plugin.svc.http.experimental_websocket("/x", () => ({})), { name: "PluginContextStaleError" });
});

test("answers JSON, text, HTML and bytes in one piece", async () => {
  const cases = [
    [(c) => c.json({ a: 1 }), 200, "application/json; charset=utf-8", '{"a":1}'],
    [(c) => c.json([], 201, { "x-a": "b" }), 201, "application/json; charset=utf-8", "[]"],
    [(c) => c.text("é", { status: 202 }), 202, "text/plain; charset=utf-8", "é"],
    [(c) => c.html("<p>"), 200, "text/html; charset=utf-8", "<p>"],
    [(c) => c.body(new Uint8Array([104, 105])), 200, undefined, "hi"],
    [(c) => c.notFound(), 404, "text/plain; charset=utf-8", "404 Not Found"],
  ];
  for (const [handler, status, type, body] of cases) {
    const sent = await answering(handler).request("GET /x");
    assert.deepEqual([sent.calls, sent.status, sent.body], [["respond"], status, body]);
    assert.equal(Object.fromEntries(sent.headers)["content-type"], type);
  }
});

test("lines of cookies are joined as cookies, other lines as a list", async () => {
  const plugin = answering((c) => c.json([c.req.header("cookie"), c.req.raw.headers.get("cookie"), c.req.header("x-many")]));
  const headers = [
    ["Cookie", "a=1"],
    ["x-many", "1"],
    ["cookie", "b=2"],
    ["X-Many", "2"],
  ];
  const sent = await plugin.request("GET /x", { headers });
  assert.deepEqual(JSON.parse(sent.body), ["a=1; b=2", "a=1; b=2", "1, 2"]);
});

test("status and headers set before count for responses made after", async () => {
  const sent = await answering((c) => {
    c.status(207);
    c.header("x-one", "1");
    c.header("x-many", "a");
    c.header("x-many", "b", { append: true });
    c.header("x-gone", "1");
    c.header("x-gone");
    return c.text("x", undefined, { "x-one": "2" });
  }).request("GET /x");
  assert.equal(sent.status, 207);
  assert.deepEqual(Object.fromEntries(sent.headers), { "content-type": "text/plain; charset=utf-8", "x-many": "a, b", "x-one": "2" });
});

test("redirects, and escapes what a header cannot hold", async () => {
  const location = async (to, status) => {
    const sent = await answering((c) => c.redirect(to, status)).request("GET /x");
    return [sent.status, Object.fromEntries(sent.headers).location, sent.body];
  };
  assert.deepEqual(await location("/a?b=1"), [302, "/a?b=1", ""]);
  assert.deepEqual(await location("/%20€", 308), [308, "/%20%E2%82%AC", ""]);
});

test("keeps values for the handler and its helpers", async () => {
  const { body } = await answering((c) => {
    c.set("user", 7);
    return c.json([c.get("user"), c.get("none") ?? null]);
  }).request("GET /x");
  assert.equal(body, "[7,null]");
});

test("shows the request", async () => {
  const { body } = await answering((c) =>
    c.json([
      c.req.method,
      c.req.path,
      c.req.url,
      c.req.header("X-A"),
      c.req.header("none") ?? null,
      c.req.header(),
      c.req.query("a"),
      c.req.query(),
      c.req.queries("a"),
      c.req.queries("z") ?? null,
      c.req.param(),
      c.req.param("id") ?? null,
    ]),
  ).request("GET /x", {
    url: "http://h/api/x?a=1&a=2&b=%20",
    headers: [
      ["x-a", "1"],
      ["X-A", "2"],
    ],
  });
  assert.deepEqual(JSON.parse(body), [
    "GET",
    "/api/x",
    "http://h/api/x?a=1&a=2&b=%20",
    "1, 2",
    null,
    { "x-a": "1, 2" },
    "1",
    { a: "1", b: " " },
    ["1", "2"],
    null,
    {},
    null,
  ]);
});

test("reads the body as often as it is asked for, in every form", async () => {
  const plugin = new Plugin().route("POST", "/x", async (c) =>
    c.json([await c.req.text(), await c.req.json(), (await c.req.arrayBuffer()).byteLength, await c.req.raw.text()]),
  );
  const { body } = await plugin.request("POST /x", { body: ['{"a"', ":1}"] });
  assert.deepEqual(JSON.parse(body), ['{"a":1}', { a: 1 }, 7, '{"a":1}']);
});

test("bytes of a body arrive as they were sent, also through the standard request", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (const read of [(c) => c.req.arrayBuffer(), (c) => c.req.raw.arrayBuffer(), async (c) => (c.req.raw, c.req.arrayBuffer())]) {
    let got;
    await new Plugin()
      .route("PUT", "/x", async (c) => ((got = await read(c)), c.body(null, 204)))
      .request("PUT /x", { body: [bytes.slice(0, 100), bytes.slice(100)] });
    assert.deepEqual(new Uint8Array(got), bytes);
  }
});

test("a body is read from the host only as far as the handler reads", async () => {
  const plugin = new Plugin().route("POST", "/x", async (c) => {
    const reader = c.req.raw.body.getReader();
    const { value } = await reader.read();
    return c.text(text(value));
  });
  const { body } = await plugin.request("POST /x", { body: ["one", "two", "three"] });
  assert.equal(body, "one");
  assert.equal(plugin.runtime.transfers.filter(({ name }) => name === "http.read").length, 1);
});

test("reads urlencoded and multipart forms", async () => {
  const plugin = () =>
    new Plugin().route("POST", "/x", async (c) => {
      const form = await c.req.formData();
      return c.json([form.get("a"), (await form.get("f")?.text?.()) ?? null]);
    });
  const urlencoded = await plugin().request("POST /x", {
    headers: [["content-type", "application/x-www-form-urlencoded"]],
    body: ["a=1+2&b=3"],
  });
  assert.equal(urlencoded.body, '["1 2",null]');
  const multipart =
    '--q\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n--q\r\ncontent-disposition: form-data; name="f"; filename="f.txt"\r\n\r\nfile\r\n--q--\r\n';
  const sent = await plugin().request("POST /x", { headers: [["content-type", "multipart/form-data; boundary=q"]], body: [multipart] });
  assert.equal(sent.body, '["x","file"]');
});

test("the signal of the request aborts with the call", async () => {
  let signal;
  const plugin = answering((c) => ((signal = c.req.raw.signal), c.text("")));
  await plugin.request("GET /x");
  assert.equal(signal.aborted, false);
  plugin.call.controller.abort();
  assert.equal(signal.aborted, true);
});

test("nothing standard is made for a handler that asks for nothing", async () => {
  const plugin = answering((c) => c.text("x"));
  await plugin.request("GET /x");
  assert.equal(plugin.call.signalReads, 0);
});

test("a standard Response of one piece goes out with its length", async () => {
  for (const body of ["hello", new Uint8Array([104, 101, 108, 108, 111])]) {
    const sent = await answering(() => new Response(body, { status: 203 })).request("GET /x");
    assert.deepEqual([sent.calls, sent.status, sent.body], [["respond"], 203, "hello"]);
  }
});

test("a body that comes in pieces is streamed, and waits for the client after each", async () => {
  let pulled = 0;
  const plugin = answering(
    () =>
      new Response(
        new ReadableStream(
          {
            async pull(controller) {
              await new Promise((resolve) => setImmediate(resolve));
              pulled += 1;
              if (pulled > 3) {
                controller.close();
              } else {
                controller.enqueue(new TextEncoder().encode(`<${pulled}>`));
              }
            },
          },
          { highWaterMark: 0 },
        ),
      ),
  );
  const aheadAt = [];
  plugin.runtime.onTransfer = (name) => void (name === "http.write" && aheadAt.push(pulled));
  const sent = await plugin.request("GET /x");
  assert.deepEqual(sent.calls, ["begin", "write", "write", "write", "finish"]);
  assert.equal(sent.body, "<1><2><3>");
  assert.ok(
    aheadAt.every((count, index) => count <= index + 2),
    `it read ahead: ${aheadAt}`,
  );
});

test("the head of a stream does not wait for its first piece", async () => {
  let controller;
  const plugin = answering(() => new Response(new ReadableStream({ start: (made) => void (controller = made) })));
  plugin.runtime.onTransfer = (name) => {
    if (name === "http.begin") {
      controller.enqueue(new TextEncoder().encode("late"));
      controller.close();
    }
  };
  const sent = await plugin.request("GET /x");
  assert.deepEqual([sent.calls, sent.body], [["begin", "write", "finish"], "late"]);
});

test("a large piece is sent in smaller ones", async () => {
  const sent = await answering(() => endless(2, new Uint8Array(300 * 1024))).request("GET /x");
  assert.deepEqual(sent.calls, ["begin", "write", "write", "write", "write", "write", "write", "finish"]);
  assert.equal(sent.body.length, 600 * 1024);
});

test("a client that leaves cancels the stream and cuts the answer", async () => {
  let cancelled = false;
  const plugin = answering(() => endless(Infinity, new Uint8Array(1), () => void (cancelled = true)));
  let writes = 0;
  plugin.runtime.onTransfer = (name) => void (name === "http.write" && ++writes === 2 && plugin.call.controller.abort());
  assert.equal((await plugin.request("GET /x")).answer, "cut");
  assert.equal(cancelled, true);
  assert.ok(!plugin.runtime.transfers.some(({ name }) => name === "http.finish"));
});

test("a piece that the host refuses because the client left is not the plugin's failure", async () => {
  let cancelled = false;
  const plugin = answering(() => endless(Infinity, new Uint8Array(1), () => void (cancelled = true)));
  plugin.runtime.onTransfer = (name) => {
    if (name !== "http.write") {
      return;
    }
    plugin.call.controller.abort();
    throw Object.assign(new Error("gone"), { code: "aborted" });
  };
  assert.equal((await plugin.request("GET /x")).answer, "cut");
  assert.equal(cancelled, true);
});

test("a body that is refused because of the client is not the plugin's failure", async () => {
  for (const code of ["aborted", "too_large", "invalid_input"]) {
    const plugin = new Plugin().route("POST", "/x", async (c) => c.text(await c.req.text()));
    plugin.runtime.onTransfer = () => {
      plugin.call.controller.abort();
      throw Object.assign(new Error("no"), { code });
    };
    assert.equal((await plugin.request("POST /x", { body: ["x"] })).answer, "cut");
  }
});

test("the same codes of a plugin's own errors are its failures", async () => {
  const { error } = await outcomeOf(() =>
    answering(() => {
      throw Object.assign(new Error("mine"), { code: "too_large" });
    }).request("GET /x"),
  );
  assert.equal(error.message, "mine");
});

test("a stream that fails in the middle fails the call after what was sent", async () => {
  let pulls = 0;
  const plugin = answering(
    () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setImmediate(resolve));
            if (++pulls > 2) {
              throw new Error("disk gone");
            }
            controller.enqueue(new Uint8Array(1));
          },
        }),
      ),
  );
  const { error } = await outcomeOf(() => plugin.request("GET /x"));
  assert.equal(error.message, "disk gone");
  assert.deepEqual(
    plugin.runtime.transfers.map(({ name }) => name),
    ["http.begin", "http.write", "http.write"],
  );
});

test("HEAD sends no body and does not read the stream", async () => {
  let read = false;
  const plugin = answering(() => new Response(new ReadableStream({ pull: () => void (read = true) }, { highWaterMark: 0 })));
  const sent = await plugin.request("GET /x", { method: "HEAD" });
  assert.deepEqual(sent.calls, ["begin", "finish"]);
  assert.equal(read, false);
});

test("statuses without a body are sent without one", async () => {
  for (const status of [204, 205, 304]) {
    const sent = await answering(() => ({ status, headers: new Headers(), body: null })).request("GET /x");
    assert.deepEqual([sent.calls, sent.status, sent.body], [["respond"], status, ""]);
  }
});

test("anything that looks like a Response is one", async () => {
  const headers = { forEach: (each) => (each("b", "x-a"), each("c=1, d=2", "set-cookie")), raw: () => ({ "set-cookie": ["c=1", "d=2"] }) };
  const bodies = [
    (async function* () {
      yield "he";
      yield new Uint8Array([108, 108, 111]);
    })(),
    undefined,
  ];
  for (const body of bodies) {
    const response = { status: 200, headers, body, arrayBuffer: async () => new TextEncoder().encode("hello").buffer };
    const sent = await answering(() => response).request("GET /x");
    assert.equal(sent.body, "hello");
    assert.deepEqual(sent.headers, [
      ["x-a", "b"],
      ["set-cookie", "c=1"],
      ["set-cookie", "d=2"],
    ]);
  }
});

test("several cookies stay several headers", async () => {
  const sent = await answering((c) => {
    c.header("set-cookie", "a=1");
    c.header("set-cookie", "b=2; Path=/", { append: true });
    return c.text("x");
  }).request("GET /x");
  assert.deepEqual(
    sent.headers.filter(([name]) => name === "set-cookie"),
    [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2; Path=/"],
    ],
  );
});

for (const [what, value, message] of [
  ["nothing", undefined, /^the handler of GET \/x must return a Response, .* but returned undefined$/],
  ["a string", "x", /returned a string$/],
  ["a plain object", { ok: true }, /returned an object$/],
  ["an impossible status", { status: 99, headers: new Headers() }, /returned the status 99; it must be 200 to 599/],
  ["an upgrade", { status: 101, headers: new Headers() }, /status 101/],
]) {
  test(`refuses ${what} as an answer`, async () => {
    const plugin = answering(() => value);
    const { error } = await outcomeOf(() => plugin.request("GET /x"));
    assert.match(error.message, message);
    assert.deepEqual(plugin.runtime.transfers, []);
  });
}

test("a header that would break the message cannot be made", async () => {
  const { error } = await outcomeOf(() => answering((c) => c.text("x", 200, { "x-a": "b\r\nevil: 1" })).request("GET /x"));
  assert.equal(error.name, "TypeError");
});

test("a body that was read already is refused", async () => {
  const { error } = await outcomeOf(() =>
    answering(async () => {
      const response = new Response("x");
      await response.text();
      return response;
    }).request("GET /x"),
  );
  assert.match(error.message, /has been read already/);
});

test("what a handler throws is the failure of the call", async () => {
  const { error } = await outcomeOf(() =>
    answering(() => {
      throw new Error("boom");
    }).request("GET /x"),
  );
  assert.equal(error.message, "boom");
});

test("a body that is not JSON fails the handler that asks for JSON", async () => {
  const plugin = new Plugin().route("POST", "/x", async (c) => c.json(await c.req.json()));
  const { error } = await outcomeOf(() => plugin.request("POST /x", { body: ["{"] }));
  assert.equal(error.name, "SyntaxError");
});
