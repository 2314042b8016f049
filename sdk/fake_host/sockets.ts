/** WebSocket routes of a load, and the clients' ends of their sockets. */
import type { PluginHttpAuth } from "../src/http";
import type { FakeHttpInit, FakeWebSocket } from "../src/testing/behavior";
import { factsOf, kBaseUrl, pathOf, type Invoke } from "./http";
import { kPluginWsMessage } from "./limits";
import { failure, noFunctions, type HostFunctions } from "./runtime";

interface Closed {
  code: number;
  reason: string;
}

interface Waiting {
  resolve(message: string | Uint8Array): void;
  reject(error: Error): void;
}

const noop = (): void => undefined;

/** What the client has. */
class Client implements FakeWebSocket {
  readonly messages: (string | Uint8Array)[] = [];
  readonly closed: Promise<Closed>;
  isOpen = true;
  readonly #waiting: Waiting[] = [];
  #end!: (closed: Closed) => void;

  constructor(
    private readonly deliver: (name: string, body: string | Uint8Array) => Promise<void>,
    private readonly leave: (closed: Closed) => Promise<void>,
  ) {
    this.closed = new Promise((resolve) => (this.#end = resolve));
  }

  async send(data: string | Uint8Array): Promise<void> {
    if (!this.isOpen) {
      throw new Error("the socket is closed");
    }
    await this.deliver(typeof data === "string" ? "http.text" : "http.binary", data);
  }
  next(): Promise<string | Uint8Array> {
    const message = this.messages.shift();
    if (message !== undefined) {
      return Promise.resolve(message);
    }
    if (!this.isOpen) {
      return Promise.reject(new Error("the socket is closed"));
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
  async close(code = 1000, reason = ""): Promise<void> {
    if (this.isOpen) {
      await this.leave({ code, reason });
    }
  }

  /** Of the plugin. */
  take(message: string | Uint8Array): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      this.messages.push(message);
    } else {
      waiting.resolve(message);
    }
  }
  end(closed: Closed): void {
    this.isOpen = false;
    this.#end(closed);
    const error = new Error(`the socket was closed (${closed.code}${closed.reason === "" ? "" : `: ${closed.reason}`})`);
    for (const { reject } of this.#waiting.splice(0)) {
      reject(error);
    }
  }
}

export class SocketRoutes {
  readonly routes: { path: string; auth: PluginHttpAuth }[] = [];
  readonly #clients = new Map<string, { client: Client; source: string }>();
  #last = 0;

  constructor(
    private readonly pluginId: string,
    private readonly invoke: Invoke,
  ) {}

  functions(): HostFunctions {
    const split = (argument: string): [string, string] => {
      const space = argument.indexOf(" ");
      return [argument.slice(0, space), argument.slice(space + 1)];
    };
    return {
      ...noFunctions(),
      sync: {
        "http.addSocket": (argument) => void this.routes.push(JSON.parse(argument)),
        "http.messageLimit": () => String(kPluginWsMessage),
        "http.sendText": (argument) => {
          const [id, text] = split(argument);
          this.#clients.get(id)?.client.take(text);
        },
        "http.closeSocket": (argument) => {
          const { id, code, reason } = JSON.parse(argument) as Closed & { id: string };
          // The client answers, and only then is the socket closed for the plugin.
          queueMicrotask(() => void this.#end(id, { code, reason }));
        },
      },
      transfer: {
        "http.sendBinary": async (id, bytes) => this.#clients.get(id)?.client.take(bytes ?? new Uint8Array()),
      },
    };
  }

  async open(target: string, init: Pick<FakeHttpInit, "headers"> = {}): Promise<FakeWebSocket> {
    const path = pathOf(target);
    if (!this.routes.some((route) => route.path === path)) {
      throw failure("unknown_route", `plugin "${this.pluginId}" has no WebSocket ${path}`);
    }
    const id = `socket_${++this.#last}`;
    const source = `http:WEBSOCKET ${path}`;
    const call = (name: string, meta: string, body: string | Uint8Array = ""): Promise<unknown> => this.invoke(source, name, meta, body);
    const client = new Client(
      // A callback that throws is logged and told to onError; the client does not notice.
      (name, body) => call(name, id, body).then(noop, noop),
      (closed) => this.#end(id, closed),
    );
    const facts = factsOf(this.pluginId, id, path, "GET", target, new Request(kBaseUrl), init);
    try {
      await call("http.upgrade", JSON.stringify(facts));
    } catch {
      // The log says why. The connection is there before the plugin is asked.
      client.end({ code: 1011, reason: "the plugin failed to accept the connection" });
      return client;
    }
    this.#clients.set(id, { client, source });
    await call("http.open", id).catch(noop);
    return client;
  }

  async closeAll(closed: Closed): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((id) => this.#end(id, closed)));
  }

  async #end(id: string, closed: Closed): Promise<void> {
    const open = this.#clients.get(id);
    if (open === undefined) {
      return;
    }
    this.#clients.delete(id);
    open.client.end(closed);
    await this.invoke(open.source, "http.closed", JSON.stringify({ id, ...closed }), "").catch(noop);
  }
}
