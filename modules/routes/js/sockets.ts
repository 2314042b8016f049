import type { HostRuntime } from "../../jsruntime/js/runtime";
import { kindOf } from "../../plugins/js/policy/arguments";
import { Incoming, type RequestFacts } from "./incoming";
import { bytesOf } from "./outgoing";

interface Closed {
  code: number;
  reason: string;
}

interface Handlers {
  onOpen?(socket: PluginSocket): unknown;
  onMessage?(socket: PluginSocket, data: string | Uint8Array): unknown;
  onClose?(closed: PluginSocket, info: Closed): unknown;
  onError?(socket: PluginSocket, error: unknown): unknown;
}

export type HandlersFactory = (request: { request: Request; url: URL; headers: Headers }) => unknown;

const { parse, stringify } = JSON;
const byteLength = (text: string): number => Buffer.byteLength(text);

const kConnecting = 0;
const kOpen = 1;
const kClosing = 2;
const kClosed = 3;
const kReasonBytes = 123;

/** What plugin code sends through. Its methods are bound, so they can be passed around. */
class PluginSocket {
  readyState: 0 | 1 | 2 | 3 = kConnecting;
  /** Set when the socket has closed. */
  code?: number;
  reason?: string;

  readonly send: (data: unknown) => void;
  readonly close: (code?: unknown, reason?: unknown) => void;

  constructor(send: (socket: PluginSocket, data: unknown) => void, close: (socket: PluginSocket, closed: Closed) => void) {
    this.send = (data) => send(this, data);
    this.close = (code = 1000, reason = "") => close(this, checkClose(code, reason));
  }
}

function checkClose(code: unknown, reason: unknown): Closed {
  const allowed =
    Number.isInteger(code) &&
    (((code as number) >= 1000 && (code as number) <= 1014 && ![1004, 1005, 1006].includes(code as number)) ||
      ((code as number) >= 3000 && (code as number) <= 4999));
  if (!allowed) {
    throw new RangeError(`socket.close: the code must be 1000 to 1014 or 3000 to 4999, is ${String(code)}`);
  }
  const text = String(reason);
  if (byteLength(text) > kReasonBytes) {
    throw new RangeError(`socket.close: the reason is longer than ${kReasonBytes} bytes (${byteLength(text)} bytes)`);
  }
  return { code: code as number, reason: text };
}

interface Connection {
  readonly id: string;
  readonly socket: PluginSocket;
  readonly handlers: Handlers;
  /** Settles when the callbacks so far have run: those of one socket run one at a time. */
  tail: Promise<unknown>;
}

export interface Sockets {
  /** False when the path is taken. */
  add(path: string, factory: HandlersFactory): boolean;
}

/** The WebSockets of one load. The host calls "http.upgrade", then "http.open", "http.text", "http.binary", "http.closed". */
export function buildSockets(runtime: HostRuntime): Sockets {
  const factories = new Map<string, HandlersFactory>();
  const connections = new Map<string, Connection>();
  let messageLimit: number | undefined;
  const limit = (): number => (messageLimit ??= Number(runtime.callSync("http.messageLimit")));

  function send(id: string, socket: PluginSocket, data: unknown): void {
    if (socket.readyState !== kOpen) {
      throw new Error("socket.send: the socket is not open");
    }
    const isText = typeof data === "string";
    const bytes = isText ? undefined : checkBytes(data);
    const size = isText ? byteLength(data) : (bytes as Uint8Array).length;
    if (size > limit()) {
      throw new RangeError(`socket.send: the message is larger than pluginWsMessage, ${limit()} bytes (${size} bytes)`);
    }
    if (isText) {
      runtime.callSync("http.sendText", `${id} ${data}`);
    } else {
      void runtime.transfer("http.sendBinary", id, bytes).catch(() => undefined);
    }
  }

  function close(id: string, socket: PluginSocket, closed: Closed): void {
    if (socket.readyState >= kClosing) {
      return;
    }
    socket.readyState = kClosing;
    runtime.callSync("http.closeSocket", stringify({ id, ...closed }));
  }

  function run(connection: Connection, callback: () => unknown): Promise<undefined> {
    const { handlers, socket } = connection;
    const work = async (): Promise<undefined> => {
      try {
        await callback();
      } catch (failure) {
        await handlers.onError?.(socket, failure);
        throw failure;
      }
      return undefined;
    };
    const result = connection.tail.then(work);
    connection.tail = result.catch(() => undefined);
    return result;
  }

  runtime.handle("http.upgrade", async (meta: string, _body: string, call) => {
    const facts = parse(meta) as RequestFacts;
    const incoming = new Incoming(runtime, facts, () => call.signal);
    const factory = factories.get(facts.route) as HandlersFactory;
    const handlers = await factory({ request: incoming.raw, url: incoming.url, headers: incoming.headers });
    if (typeof handlers !== "object" || handlers === null) {
      throw new TypeError(`the handlers of the WebSocket ${facts.route} must be an object, are ${kindOf(handlers)}`);
    }
    const socket = new PluginSocket(
      (self, data) => send(facts.id, self, data),
      (self, closed) => close(facts.id, self, closed),
    );
    connections.set(facts.id, { id: facts.id, socket, handlers: handlers as Handlers, tail: Promise.resolve() });
    return undefined;
  });

  runtime.handle("http.open", (id: string) => {
    const connection = connections.get(id);
    if (connection === undefined) {
      return undefined;
    }
    connection.socket.readyState = kOpen;
    return run(connection, () => connection.handlers.onOpen?.(connection.socket));
  });
  const deliver = (id: string, data: string | Uint8Array): Promise<undefined> | undefined => {
    const connection = connections.get(id);
    return connection && run(connection, () => connection.handlers.onMessage?.(connection.socket, data));
  };
  runtime.handle("http.text", (id: string, text: string) => deliver(id, text));
  runtime.handle("http.binary", (id: string, bytes: Uint8Array) => deliver(id, bytes));
  runtime.handle("http.closed", (meta: string) => {
    const { id, code, reason } = parse(meta) as Closed & { id: string };
    const connection = connections.get(id);
    if (connection === undefined) {
      return undefined;
    }
    connections.delete(id);
    const { socket, handlers } = connection;
    const wasOpen = socket.readyState !== kConnecting;
    Object.assign(socket, { readyState: kClosed, code, reason });
    return wasOpen ? run(connection, () => handlers.onClose?.(socket, { code, reason })) : undefined;
  });

  return {
    add(path, factory) {
      if (factories.has(path)) {
        return false;
      }
      factories.set(path, factory);
      return true;
    },
  };
}

function checkBytes(data: unknown): Uint8Array {
  try {
    return bytesOf(data);
  } catch {
    throw new TypeError(`socket.send: the data must be a string or bytes, is ${kindOf(data)}`);
  }
}
