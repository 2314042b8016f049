/** The WebSocket of the web, for an engine without one, on top of the `ws` package. Loaded when it is first used. */
import { WebSocket as Socket } from "ws";

type Data = string | ArrayBuffer | ArrayBufferView | Blob;
type Handler = ((event: Event) => unknown) | null;

class CloseEvent extends Event {
  readonly wasClean: boolean;
  readonly code: number;
  readonly reason: string;
  constructor(type: string, init: { wasClean?: boolean; code?: number; reason?: string } = {}) {
    super(type);
    this.wasClean = init.wasClean ?? false;
    this.code = init.code ?? 0;
    this.reason = init.reason ?? "";
  }
}

class ErrorEvent extends Event {
  readonly error: unknown;
  readonly message: string;
  constructor(type: string, error: Error) {
    super(type);
    this.error = error;
    this.message = error.message;
  }
}

const kConnecting = 0;
const kOpen = 1;
const kLongestReason = 123;

class WebSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;

  readonly #socket: Socket;
  readonly #handlers = new Map<string, Handler>();
  /** Data of Blobs that are still being read; what is sent later waits for them. */
  #sending: Promise<void> | undefined;
  #waiting = 0;
  #binaryType: "blob" | "arraybuffer" = "blob";

  constructor(url: string | URL, options: string | string[] | { protocols?: string | string[]; headers?: Record<string, string> } = []) {
    super();
    const { protocols = [], headers } = typeof options === "string" || Array.isArray(options) ? { protocols: options } : options;
    this.#socket = new Socket(checkedUrl(url), checkedProtocols(protocols), { headers, maxPayload: 0 });
    this.#socket.binaryType = "arraybuffer";
    this.#follow();
  }

  get url(): string {
    return this.#socket.url;
  }
  get readyState(): number {
    return this.#socket.readyState;
  }
  get bufferedAmount(): number {
    return this.#socket.bufferedAmount + this.#waiting;
  }
  get protocol(): string {
    return this.#socket.protocol;
  }
  get extensions(): string {
    return this.#socket.extensions;
  }
  get binaryType(): "blob" | "arraybuffer" {
    return this.#binaryType;
  }
  set binaryType(type: "blob" | "arraybuffer") {
    if (type === "blob" || type === "arraybuffer") {
      this.#binaryType = type;
    }
  }

  get onopen(): Handler {
    return this.#handlers.get("open") ?? null;
  }
  set onopen(handler: Handler) {
    this.#handle("open", handler);
  }
  get onmessage(): Handler {
    return this.#handlers.get("message") ?? null;
  }
  set onmessage(handler: Handler) {
    this.#handle("message", handler);
  }
  get onerror(): Handler {
    return this.#handlers.get("error") ?? null;
  }
  set onerror(handler: Handler) {
    this.#handle("error", handler);
  }
  get onclose(): Handler {
    return this.#handlers.get("close") ?? null;
  }
  set onclose(handler: Handler) {
    this.#handle("close", handler);
  }

  send(data: Data): void {
    if (this.readyState === kConnecting) {
      throw new DOMException("The socket is still connecting", "InvalidStateError");
    }
    if (this.readyState !== kOpen) {
      return;
    }
    if (this.#sending === undefined && !(data instanceof Blob)) {
      this.#transmit(typeof data === "object" ? data : String(data));
      return;
    }
    const size = data instanceof Blob ? data.size : typeof data === "object" ? data.byteLength : Buffer.byteLength(String(data));
    this.#waiting += size;
    const sending = (this.#sending ?? Promise.resolve()).then(async () => {
      const ready = data instanceof Blob ? await data.arrayBuffer() : data;
      this.#waiting -= size;
      this.#transmit(ready);
      if (this.#sending === sending) {
        this.#sending = undefined;
      }
    });
    this.#sending = sending;
  }

  close(code?: number, reason = ""): void {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new DOMException("The close code must be 1000 or from 3000 to 4999", "InvalidAccessError");
    }
    if (Buffer.byteLength(reason) > kLongestReason) {
      throw new DOMException(`The close reason must not be longer than ${kLongestReason} bytes`, "SyntaxError");
    }
    const close = (): void => this.#socket.close(code ?? (reason === "" ? undefined : 1000), reason);
    if (this.#sending) {
      void this.#sending.then(close);
    } else {
      close();
    }
  }

  #transmit(data: string | ArrayBuffer | ArrayBufferView): void {
    if (this.readyState === kOpen) {
      this.#socket.send(data as string);
    }
  }

  #handle(type: string, handler: Handler): void {
    const before = this.#handlers.get(type);
    if (before) {
      this.removeEventListener(type, before);
    }
    const next = typeof handler === "function" ? handler : null;
    this.#handlers.set(type, next);
    if (next) {
      this.addEventListener(type, next);
    }
  }

  #follow(): void {
    const socket = this.#socket;
    socket.on("open", () => this.dispatchEvent(new Event("open")));
    socket.on("message", (data: Buffer | ArrayBuffer, isBinary: boolean) => {
      const origin = new URL(this.url).origin;
      this.dispatchEvent(new MessageEvent("message", { data: this.#received(data, isBinary), origin }));
    });
    socket.on("error", (error: Error) => this.dispatchEvent(new ErrorEvent("error", error)));
    socket.on("close", (code: number, reason: Buffer) => {
      // 1006: the connection went away without a closing handshake.
      this.dispatchEvent(new CloseEvent("close", { wasClean: code !== 1006, code, reason: reason.toString() }));
    });
  }

  #received(data: Buffer | ArrayBuffer, isBinary: boolean): unknown {
    if (!isBinary) {
      return Buffer.from(data as ArrayBuffer).toString();
    }
    return this.#binaryType === "blob" ? new Blob([data as ArrayBuffer]) : data;
  }
}

function checkedUrl(url: string | URL): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new DOMException(`Invalid URL: ${String(url)}`, "SyntaxError");
  }
  const href = parsed.href.replace(/^http/, "ws");
  if (!/^wss?:/.test(href)) {
    throw new DOMException(`The URL of a WebSocket must be ws: or wss:, not ${parsed.protocol}`, "SyntaxError");
  }
  if (parsed.hash !== "") {
    throw new DOMException("The URL of a WebSocket must not have a fragment", "SyntaxError");
  }
  return href;
}

function checkedProtocols(protocols: string | string[]): string[] {
  const list = (Array.isArray(protocols) ? protocols : [protocols]).map(String);
  const valid = list.every((name) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name));
  if (!valid || new Set(list.map((name) => name.toLowerCase())).size !== list.length) {
    throw new DOMException("The subprotocols must be different tokens", "SyntaxError");
  }
  return list;
}

export default function websocket(): unknown {
  return WebSocket;
}
