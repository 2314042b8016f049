import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { HeldBytes, Holder } from "./held_bytes";

/** What the host says of a request: the meta of "http.request" and "http.upgrade". */
export interface RequestFacts {
  /** Names the request in the calls to the host. */
  id: string;
  /** Key of the route that takes it: "GET /hook" or, for a WebSocket, its path. */
  route: string;
  method: string;
  url: string;
  headers: [name: string, value: string][];
  hasBody: boolean;
}

const kNothing = new Uint8Array(0);
const decoder = new TextDecoder();
/** Members of a Request that keep its whole body in memory; what a clone has not read yet waits there, too. */
const kWhole = ["arrayBuffer", "blob", "bytes", "clone", "formData", "json", "text"];

/** One request as plugin code sees it. Nothing is made before it is asked for. */
export class Incoming {
  readonly #runtime: HostRuntime;
  readonly #facts: RequestFacts;
  readonly #signal: () => AbortSignal;
  readonly #held: HeldBytes | undefined;
  readonly #holder: Holder;
  #url: URL | undefined;
  #headers: Headers | undefined;
  #raw: Request | undefined;
  #bytes: Promise<Uint8Array> | undefined;
  /** What is read through `raw` is collected. */
  #keepsAll = false;

  /** A handshake has no body, so nothing of it is held. */
  constructor(runtime: HostRuntime, facts: RequestFacts, signal: () => AbortSignal, held?: HeldBytes) {
    this.#runtime = runtime;
    this.#facts = facts;
    this.#signal = signal;
    this.#held = held;
    this.#holder = { route: facts.route };
  }

  /** What its body takes counts no longer. */
  release(): void {
    this.#held?.release(this.#holder);
  }

  get method(): string {
    return this.#facts.method;
  }
  get urlText(): string {
    return this.#facts.url;
  }
  get url(): URL {
    return (this.#url ??= new URL(this.#facts.url));
  }
  get headers(): Headers {
    return (this.#headers ??= this.#makeHeaders());
  }
  /** The standard Request. Its body is read from the client as the reader asks for it. */
  get raw(): Request {
    return (this.#raw ??= this.#makeRaw());
  }

  /** The whole body; asked for more than once it is read once. */
  bytes(): Promise<Uint8Array> {
    return (this.#bytes ??= this.#collect());
  }
  async text(): Promise<string> {
    return decoder.decode(await this.bytes());
  }
  async formData(): Promise<FormData> {
    const body = await this.bytes();
    return new Response(body as BodyInit, { headers: { "content-type": this.headers.get("content-type") ?? "" } }).formData();
  }

  #makeHeaders(): Headers {
    const headers = new Headers();
    for (const [name, value] of this.#facts.headers) {
      const earlier = name.length === 6 && name.toLowerCase() === "cookie" ? headers.get(name) : null;
      // Unlike other lists, several lines of cookies are joined with a semicolon (RFC 6265, section 5.4).
      if (earlier === null) {
        headers.append(name, value);
      } else {
        headers.set(name, `${earlier}; ${value}`);
      }
    }
    return headers;
  }

  #makeRaw(): Request {
    const init: RequestInit & { duplex?: "half" } = {
      method: this.method,
      headers: this.headers,
      signal: this.#signal(),
    };
    if (this.#hasBody) {
      init.body = this.#stream();
      init.duplex = "half";
    }
    const request = new Request(this.#facts.url, init);
    if (this.#hasBody) {
      this.#countWhole(request);
    }
    return request;
  }

  // A reader of the stream takes its pieces one by one and decides what it keeps; these keep everything.
  #countWhole(request: Request): void {
    for (const name of kWhole) {
      const standard = (request as unknown as Record<string, ((this: Request) => unknown) | undefined>)[name];
      if (standard === undefined) {
        continue;
      }
      const value = (): unknown => {
        this.#keepsAll = true;
        return standard.call(request);
      };
      Object.defineProperty(request, name, { value, configurable: true, writable: true });
    }
  }

  // The standard Request refuses a body for these.
  get #hasBody(): boolean {
    return this.#facts.hasBody && this.method !== "GET" && this.method !== "HEAD";
  }

  #read(): Promise<Uint8Array | undefined> {
    return this.#runtime.transfer("http.read", this.#facts.id);
  }

  #stream(): ReadableStream<Uint8Array> {
    const collected = this.#bytes;
    let given = false;
    const next = async (): Promise<Uint8Array | undefined> => {
      if (collected === undefined) {
        return this.#read();
      }
      if (given) {
        return undefined;
      }
      given = true;
      return collected;
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const bytes = await next();
          if (bytes === undefined || bytes.length === 0) {
            controller.close();
            return;
          }
          if (this.#keepsAll && collected === undefined) {
            this.#hold(bytes.length);
          }
          controller.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #collect(): Promise<Uint8Array> {
    if (this.#raw !== undefined) {
      return new Uint8Array(await this.#raw.arrayBuffer());
    }
    if (!this.#facts.hasBody) {
      return kNothing;
    }
    const pieces: Uint8Array[] = [];
    for (let piece = await this.#read(); piece !== undefined; piece = await this.#read()) {
      this.#hold(piece.length);
      pieces.push(piece);
    }
    return joined(pieces);
  }

  #hold(bytes: number): void {
    const held = this.#held;
    if (held === undefined || held.tryHold(this.#holder, bytes)) {
      return;
    }
    throw this.#runtime.error(
      "overloaded",
      `the bodies of the requests that the plugin is reading take ${held.total + bytes} bytes of its memory, the limit is ${held.limit} bytes; try again`,
    );
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) {
    return pieces[0] as Uint8Array;
  }
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
