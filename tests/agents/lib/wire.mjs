// What an agent says to the endpoint, passed on and noted down: which revision it speaks, and what it asks for.
import { createServer, request as httpRequest } from "node:http";

const kVersion = "io.modelcontextprotocol/protocolVersion";

export async function startWire(target) {
  const { hostname, port } = new URL(target);
  const revisions = new Set();
  const calls = [];
  function note(text) {
    const { method, params } = text === "" ? {} : JSON.parse(text);
    const revision = params?._meta?.[kVersion] ?? (method === "initialize" ? params.protocolVersion : undefined);
    if (revision) {
      revisions.add(revision);
    }
    if (method === "tools/call") {
      calls.push({ name: params.name, hasToken: params._meta?.progressToken !== undefined });
    }
  }
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: `${hostname}:${port}` };
    const onward = httpRequest({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    onward.on("error", () => outgoing.destroy());
    // Leaving means something to the server: it is passed on as well.
    outgoing.on("close", () => onward.destroy());
    let text = "";
    incoming.setEncoding("utf8").on("data", (piece) => {
      text += piece;
      onward.write(piece);
    });
    incoming.on("end", () => {
      note(text);
      onward.end();
    });
  });
  server.requestTimeout = 0;
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    revisions: () => [...revisions],
    calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
