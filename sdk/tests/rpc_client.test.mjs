import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { build } from "esbuild";

// What the window and the test runtime share, over answers that only a network gives.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("../src/app_policy/rpc_client.ts", import.meta.url))],
  bundle: true,
  format: "esm",
  write: false,
});
const { createRpcCall } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

const answering = (status, body, requestId = "req_1") =>
  createRpcCall(async () => ({ status, requestId, body: typeof body === "string" ? body : JSON.stringify(body) }));

test("a request carries the method, the input as JSON and a signal", async () => {
  const sent = [];
  const call = createRpcCall(async (request) => (sent.push(request), { status: 200, requestId: "", body: '{"ok":true,"result":7}' }));
  assert.equal(await call("add", { n: 1 }), 7);
  assert.equal(await call("list"), 7);
  assert.deepEqual(
    sent.map(({ method, body }) => [method, body]),
    [
      ["add", '{"n":1}'],
      ["list", "null"],
    ],
  );
  assert.ok(sent.every(({ signal }) => !signal.aborted));
});

test("a failure keeps everything the server said", async () => {
  const issues = [{ message: "too short", path: ["title"] }];
  const error = { code: "invalid_input", message: "no good", issues, details: { a: 1 } };
  await assert.rejects(answering(400, { ok: false, error })("add"), {
    name: "PluginRpcError",
    message: "no good",
    code: "invalid_input",
    status: 400,
    requestId: "req_1",
    issues,
    details: { a: 1 },
  });
});

test("without a usable body the message names method and HTTP status", async () => {
  for (const body of ["", "<html>bad gateway</html>", "null", "7", {}, { ok: true }, { ok: false }, { ok: false, error: { code: 5 } }]) {
    await assert.rejects(answering(502, body)("add"), {
      name: "PluginRpcError",
      code: "invalid_answer",
      status: 502,
      message: "add: the service answered with HTTP status 502 and no usable body",
    });
  }
});

test("a service that is not reached is said as such", async () => {
  const call = createRpcCall(async () => {
    throw new TypeError("Failed to fetch");
  });
  await assert.rejects(call("add"), {
    name: "PluginRpcError",
    code: "network_error",
    status: 0,
    message: "add: the service was not reached: Failed to fetch",
  });
});

test("an aborted call aborts its request, and one that is aborted already sends none", async () => {
  const signals = [];
  const call = createRpcCall(({ signal }) => (signals.push(signal), new Promise(() => undefined)));
  const controller = new AbortController();
  const pending = call("add", 1, { signal: controller.signal });
  controller.abort();
  await assert.rejects(pending, { name: "AbortError" });
  await assert.rejects(call("add", 1, { signal: controller.signal }), { name: "AbortError" });
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  );
});
