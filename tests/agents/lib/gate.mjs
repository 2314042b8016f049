// The proxy that all programs under test are told of: nobody leaves the machine through it, and who tried is known.
import { createServer } from "node:http";

export async function startGate() {
  const attempts = [];
  const server = createServer((request, response) => {
    attempts.push(`${request.method} ${request.url}`);
    response.writeHead(403).end("nothing leaves this machine");
  });
  server.on("connect", (request, socket) => {
    attempts.push(request.url);
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 403 nothing leaves this machine\r\n\r\n");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${server.address().port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  return {
    /** Hosts that somebody wanted to reach, each once. */
    attempts: () => [...new Set(attempts)].sort(),
    env: {
      ...Object.fromEntries(names.map((name) => [name, url])),
      NO_PROXY: "127.0.0.1,localhost,::1",
      no_proxy: "127.0.0.1,localhost,::1",
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
