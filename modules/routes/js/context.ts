import type { Incoming } from "./incoming";
import { responseOf } from "./outgoing";

const { parse, stringify } = JSON;

type HeaderValues = Record<string, string | string[]> | Headers | [string, string][];
type Init = number | { status?: number; headers?: HeaderValues };
type Body = string | ArrayBuffer | ArrayBufferView | ReadableStream | null;

/** `c.req`: the request, as Hono names its parts. Routes have no parameters, so `param` is always empty. */
class ContextRequest {
  readonly #incoming: Incoming;
  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  get raw(): Request {
    return this.#incoming.raw;
  }
  get method(): string {
    return this.#incoming.method;
  }
  get url(): string {
    return this.#incoming.urlText;
  }
  get path(): string {
    return this.#incoming.url.pathname;
  }

  header = (name?: string): unknown => {
    if (name !== undefined) {
      return this.#incoming.headers.get(name) ?? undefined;
    }
    return Object.fromEntries(this.#incoming.headers);
  };
  query = (name?: string): unknown => {
    const values = this.#incoming.url.searchParams;
    if (name !== undefined) {
      return values.get(name) ?? undefined;
    }
    const first = new Map<string, string>();
    for (const [key, value] of values) {
      if (!first.has(key)) {
        first.set(key, value);
      }
    }
    return Object.fromEntries(first);
  };
  queries = (name: string): string[] | undefined => {
    const values = this.#incoming.url.searchParams.getAll(name);
    return values.length > 0 ? values : undefined;
  };
  param = (name?: string): unknown => (name === undefined ? {} : undefined);

  json = async (): Promise<unknown> => parse(await this.#incoming.text());
  text = (): Promise<string> => this.#incoming.text();
  arrayBuffer = async (): Promise<ArrayBuffer> => {
    const bytes = await this.#incoming.bytes();
    return bytes.slice().buffer;
  };
  formData = (): Promise<FormData> => this.#incoming.formData();
}

/** What a route's handler receives: the parts of Hono's context that need no router. */
export class Context {
  readonly req: ContextRequest;
  readonly #values = new Map<unknown, unknown>();
  #status = 200;
  #headers: Headers | undefined;

  constructor(incoming: Incoming) {
    this.req = new ContextRequest(incoming);
  }

  /** Of responses made afterwards that name no status of their own. */
  status = (code: number): void => {
    this.#status = code;
  };
  /** Of responses made afterwards. Without a value the header is taken back. */
  header = (name: string, value?: string, options?: { append?: boolean }): void => {
    const headers = (this.#headers ??= new Headers());
    if (value === undefined) {
      headers.delete(name);
    } else if (options?.append === true) {
      headers.append(name, value);
    } else {
      headers.set(name, value);
    }
  };
  get = (key: unknown): unknown => this.#values.get(key);
  set = (key: unknown, value: unknown): void => void this.#values.set(key, value);

  json = (value: unknown, init?: Init, headers?: HeaderValues): Response => {
    const text = stringify(value) as string | undefined;
    if (text === undefined) {
      throw new TypeError(`c.json: a ${typeof value} is not a JSON value`);
    }
    return this.#respond(text, "application/json; charset=utf-8", init, headers);
  };
  text = (text: string, init?: Init, headers?: HeaderValues): Response =>
    this.#respond(String(text), "text/plain; charset=utf-8", init, headers);
  html = (text: string, init?: Init, headers?: HeaderValues): Response =>
    this.#respond(String(text), "text/html; charset=utf-8", init, headers);
  body = (body: Body, init?: Init, headers?: HeaderValues): Response => this.#respond(body, undefined, init, headers);
  redirect = (location: string | URL, status = 302): Response => {
    const target = String(location);
    // A header holds bytes: what else the address contains is escaped, what is escaped stays.
    this.header("location", /[^\x00-\xff]/.test(target) ? encodeURI(target).replaceAll("%25", "%") : target);
    return this.#respond(null, undefined, status);
  };
  notFound = (): Response => this.#respond("404 Not Found", "text/plain; charset=utf-8", 404);

  #respond(body: Body, type: string | undefined, init?: Init, extra?: HeaderValues): Response {
    const status = (typeof init === "number" ? init : init?.status) ?? this.#status;
    const headers = new Headers(this.#headers);
    if (type !== undefined && !headers.has("content-type")) {
      headers.set("content-type", type);
    }
    if (typeof init === "object") {
      setAll(headers, init.headers);
    }
    setAll(headers, extra);
    return responseOf(body, status, headers);
  }
}

function setAll(headers: Headers, values: HeaderValues | undefined): void {
  if (values === undefined) {
    return;
  }
  const entries = Symbol.iterator in values ? [...(values as Iterable<[string, string]>)] : Object.entries(values);
  for (const [name] of entries) {
    headers.delete(name);
  }
  for (const [name, value] of entries) {
    for (const single of Array.isArray(value) ? value : [value]) {
      headers.append(name, single);
    }
  }
}
