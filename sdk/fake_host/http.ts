/** HTTP routes of a load: which one takes a request, and the host functions that carry request and response. */
import type { RequestFacts } from "../../modules/routes/js/incoming";
import { kCut } from "../../modules/routes/js/outgoing";
import { abortError } from "../../modules/plugins/js/policy/thrown";
import type { PluginHttpAuth } from "../src/http";
import type { FakeHttpInit } from "../src/testing/behavior";
import { failure, noFunctions, type HostFunctions } from "./runtime";

export interface Route {
  method: string;
  path: string;
  auth: PluginHttpAuth;
}

/** Calls a handler of a part; rejects with a coded error. */
export type Invoke = (source: string, name: string, meta: string, body: string | Uint8Array, signal?: AbortSignal) => Promise<string>;

/** Nobody listens there: a test must not reach a server of the developer. */
export const kBaseUrl = "http://127.0.0.1:65535";
const kBodyless = [204, 205, 304];

/** One request that a script answers. */
interface Exchange {
  read: () => Promise<Uint8Array | undefined>;
  /** Begins the response. */
  respond(head: Head, body: BodyInit | null): void;
  readonly client: AbortController;
  stream?: ReadableStreamDefaultController<Uint8Array>;
  /** Resolves when the client wants more. */
  wanted?: { promise: Promise<void>; resolve: () => void };
}

interface Head {
  status: number;
  headers: [string, string][];
}

export class HttpRoutes {
  readonly routes: Route[] = [];
  readonly #exchanges = new Map<string, Exchange>();
  #last = 0;

  constructor(
    private readonly pluginId: string,
    private readonly invoke: Invoke,
  ) {}

  functions(): HostFunctions {
    const open = (id: string): Exchange => {
      const exchange = this.#exchanges.get(id);
      if (exchange === undefined || exchange.client.signal.aborted) {
        throw failure("aborted", "the client has left");
      }
      return exchange;
    };
    return {
      ...noFunctions(),
      sync: { "http.addRoute": (argument) => void this.routes.push(JSON.parse(argument) as Route) },
      transfer: {
        "http.read": async (id) => open(id).read(),
        "http.respond": async (argument, bytes) => {
          const [id, head] = readHead(argument);
          open(id).respond(head, (bytes ?? null) as BodyInit | null);
        },
        "http.begin": async (argument) => {
          const [id, head] = readHead(argument);
          const exchange = open(id);
          exchange.respond(head, streamOf(exchange));
        },
        "http.write": async (id, bytes) => {
          const exchange = open(id);
          exchange.stream?.enqueue(bytes ?? new Uint8Array());
          if ((exchange.stream?.desiredSize ?? 1) <= 0) {
            await wantedBy(exchange);
          }
        },
        "http.finish": async (id) => open(id).stream?.close(),
      },
    };
  }

  /** Answers as the server does, failures included. */
  async fetch(method: string, target: string, init: FakeHttpInit = {}): Promise<Response> {
    const verb = method.toUpperCase();
    const match = this.#match(verb, target);
    if (match instanceof Response) {
      return match;
    }
    const request = requestOf(verb, init);
    const facts = factsOf(this.pluginId, String(++this.#last), match, verb, target, request, init);
    return this.#run(facts, request, init.signal);
  }

  #match(method: string, target: string): string | Response {
    const path = pathOf(target);
    const methods = this.routes.filter((route) => route.path === path).map((route) => route.method);
    if (methods.includes(method)) {
      return `${method} ${path}`;
    }
    if (method === "HEAD" && methods.includes("GET")) {
      return `GET ${path}`;
    }
    const allowed = methods.sort().flatMap((each) => (each === "GET" && !methods.includes("HEAD") ? [each, "HEAD"] : [each]));
    const allow = allowed.join(", ");
    const message = `plugin "${this.pluginId}" has no ${method} ${path}${allow === "" ? "" : `; the path takes ${allow}`}`;
    const error = failure("unknown_route", message, { details: { pluginId: this.pluginId } });
    return errorResponse(404, error, allow === "" ? {} : { allow });
  }

  #run(facts: RequestFacts, request: Request, left: AbortSignal | undefined): Promise<Response> {
    const client = new AbortController();
    return new Promise((resolve, reject) => {
      const reader = request.body?.getReader();
      const exchange: Exchange = {
        client,
        read: async () => (await reader?.read())?.value,
        respond: ({ status, headers }, body) => {
          const bodyless = kBodyless.includes(status) || facts.method === "HEAD";
          resolve(new Response(bodyless ? null : body, { status, headers }));
        },
      };
      const leave = (): void => {
        client.abort();
        exchange.stream?.error(abortError("the request was aborted"));
        reject(abortError("the request was aborted"));
      };
      this.#exchanges.set(facts.id, exchange);
      left?.addEventListener("abort", leave);
      if (left?.aborted === true) {
        leave();
      }
      this.invoke(`http:${facts.route}`, "http.request", JSON.stringify(facts), "", client.signal)
        .then((answer) => {
          if (answer === kCut) {
            exchange.stream?.error(new Error("the response was cut off"));
          }
        })
        .catch((error: Error) => {
          exchange.stream?.error(error);
          resolve(errorResponse(500, error));
        })
        .finally(() => {
          left?.removeEventListener("abort", leave);
          this.#exchanges.delete(facts.id);
        });
    });
  }
}

function readHead(argument: string): [id: string, head: Head] {
  const space = argument.indexOf(" ");
  return [argument.slice(0, space), JSON.parse(argument.slice(space + 1)) as Head];
}

/** A body that is written piece by piece; a reader that cancels it is a client that leaves. */
function streamOf(exchange: Exchange): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (exchange.stream = controller),
      pull: () => exchange.wanted?.resolve(),
      cancel: () => exchange.client.abort(),
    },
    { highWaterMark: 1024 * 1024, size: (piece) => piece?.byteLength ?? 0 },
  );
}

function wantedBy(exchange: Exchange): Promise<void> {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((fulfil, reject) => {
    resolve = fulfil;
    exchange.client.signal.addEventListener("abort", () => reject(failure("aborted", "the client has left")));
  });
  exchange.wanted = { promise, resolve };
  return promise;
}

/** The path as the server compares it: decoded once, without the query. */
export function pathOf(target: string): string {
  if (!target.startsWith("/")) {
    throw new TypeError(`the path "${target}" must start with "/"`);
  }
  const path = target.split("?", 1)[0] as string;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Encodes the body as a client would. */
function requestOf(method: string, { headers, body }: FakeHttpInit): Request {
  // A standard Request takes no body with these, and some methods are not for it.
  const has = body !== undefined && body !== null && method !== "GET" && method !== "HEAD";
  const init = { method: "POST", headers, ...(has && { body, duplex: "half" }) };
  return new Request(kBaseUrl, init as RequestInit);
}

export function factsOf(
  pluginId: string,
  id: string,
  route: string,
  method: string,
  target: string,
  request: Request,
  { headers }: Pick<FakeHttpInit, "headers"> = {},
): RequestFacts {
  const sent = new Headers(headers as HeadersInit | undefined);
  request.headers.forEach((value, name) => {
    if (!sent.has(name)) {
      sent.set(name, value);
    }
  });
  if (!sent.has("host")) {
    sent.set("host", new URL(kBaseUrl).host);
  }
  return {
    id,
    route,
    method,
    url: `${kBaseUrl}/api/v1/plugins/${pluginId}/http${target}`,
    headers: [...sent],
    hasBody: request.body !== null,
  };
}

function errorResponse(status: number, error: Error, headers: Record<string, string> = {}): Response {
  const { code, message, details } = error as Error & { code: string; details?: object };
  const body = JSON.stringify({ ok: false, error: { code, message, ...(details && { details }) } });
  return new Response(body, { status, headers: { "content-type": "application/json; charset=utf-8", ...headers } });
}
