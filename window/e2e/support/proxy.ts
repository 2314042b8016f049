// A reverse proxy as people put in front of the server: under a path of its own, with WebSockets.
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface Proxy {
  /** Where the window is reached, with a slash at the end. */
  readonly url: string;
  /** Where requests go to; set once the server listens. */
  target: string;
  /** Whether the path is taken off before a request is passed on; servers see both in practice. */
  strip: boolean;
  close(): Promise<void>;
}

export async function startProxy(path: string): Promise<Proxy> {
  let target = "";
  let strip = false;
  const sockets = new Set<Socket>();
  const passedOn = (message: IncomingMessage) => (strip ? (message.url ?? "/").slice(path.length) || "/" : (message.url ?? "/"));
  const isOurs = (message: IncomingMessage) => (message.url ?? "").startsWith(`${path}/`);

  const server = createServer((incoming, outgoing) => {
    if (!isOurs(incoming)) {
      // A request that left the base path would reach another site.
      outgoing.writeHead(404).end("not behind this proxy");
      return;
    }
    const { hostname, port } = new URL(target);
    const onward = request({ hostname, port, path: passedOn(incoming), method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on("upgrade", (incoming, socket: Socket, head: Buffer) => {
    if (!isOurs(incoming)) {
      socket.destroy();
      return;
    }
    const { hostname, port } = new URL(target);
    const onward = connect(Number(port), hostname, () => {
      const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}`);
      onward.write(`${incoming.method} ${passedOn(incoming)} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward).add(socket);
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}/`,
    get target() {
      return target;
    },
    set target(value) {
      target = value;
    },
    get strip() {
      return strip;
    },
    set strip(value) {
      strip = value;
    },
    close: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
