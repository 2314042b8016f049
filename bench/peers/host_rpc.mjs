// The peer of the host RPC benchmark: what one would write with Node alone. This process is the server; a second one is the daemon,
// which runs the handler in a worker thread; between them a WebSocket on loopback. Both ends check with the contract, as svc does.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

import { WebSocket, WebSocketServer } from "ws";

import { contract, echo, measure } from "../host_plugin/calls.mjs";

const here = fileURLToPath(import.meta.url);

if (!isMainThread) {
  answerCalls();
} else if (process.env.BENCH_ROLE === "daemon") {
  await runDaemon();
} else {
  await runServer();
}

/** The worker: text in, text out. */
function answerCalls() {
  parentPort.on("message", (text) => {
    const { id, input } = JSON.parse(text);
    const output = contract.echo.output.parse(echo(contract.echo.input.parse(input)));
    parentPort.postMessage(JSON.stringify({ id, output }));
  });
}

async function runDaemon() {
  const worker = new Worker(here);
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  server.on("connection", (socket) => {
    socket.on("message", (data) => worker.postMessage(String(data)));
    worker.on("message", (text) => socket.send(text));
  });
  await once(server, "listening");
  process.send(server.address().port);
  process.on("disconnect", () => process.exit(0));
}

async function runServer() {
  const daemon = fork(here, { env: { ...process.env, BENCH_ROLE: "daemon" } });
  const [port] = await once(daemon, "message");
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  await once(socket, "open");
  const waiting = new Map();
  socket.on("message", (data) => {
    const { id, output } = JSON.parse(String(data));
    waiting.get(id)(contract.echo.output.parse(output));
    waiting.delete(id);
  });
  let last = 0;
  const call = (input) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, input: contract.echo.input.parse(input) }));
    });

  const control = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const result = await measure(call, JSON.parse(Buffer.concat(chunks)));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ok: true, result }));
  });
  control.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${control.address().port}`));
  process.on("SIGTERM", () => process.exit(0));
}
