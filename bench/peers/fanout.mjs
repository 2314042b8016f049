// The peer of the fan-out benchmark: an HTTP server with `ws`, which sends the text of a POST to every client, as its documentation does.
import { createServer } from "node:http";

import { WebSocketServer } from "ws";

const server = createServer(async (request, response) => {
  if (request.method === "POST") {
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const { times, text } = JSON.parse(Buffer.concat(chunks));
    for (let count = 0; count < times; ++count) {
      const signal = JSON.stringify({ type: "plugin-signal", pluginId: "bench", channel: "bench", payload: text });
      for (const client of sockets.clients) {
        client.send(signal);
      }
    }
  }
  response.setHeader("content-type", "application/json");
  response.end('{"ok":true,"result":null}');
});
const sockets = new WebSocketServer({ server, path: "/api/v1/ws", perMessageDeflate: false });
server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
