import type { JsonInput, JsonLike, MaybePromise } from "./json.js";

/**
 * Who may call a route.
 *
 * - `"local"` (default): programs on this machine and the service's own pages; `Host` and `Origin` are checked, and a
 *   body needs `content-type: application/json`.
 * - `"token"`: whoever has the plugin's token (`svc plugin token <id>`), sent as `x-svc-plugin-token`, as bearer token or
 *   as `?token=`. Anything else gets 401 `unauthorized`.
 * - `"none"`: everybody. For webhooks whose handler verifies a signature over the raw body.
 */
export type PluginHttpAuth = "local" | "token" | "none";

/** How a route is served. */
export interface PluginHttpOptions {
  /** Who may call it. Default `local`. */
  auth?: PluginHttpAuth;
}

/** Upper or lower case. */
export type PluginHttpMethod =
  "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "get" | "post" | "put" | "patch" | "delete" | "head" | "options";

/** What a handler may return: the global `Response`, or one of a library that looks like it. */
export interface PluginHttpResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  /** A stream is sent as it comes, no faster than the client reads; it is cancelled when the client leaves. */
  readonly body?: unknown;
}

type HeaderInit = Record<string, string | string[]> | Headers | [string, string][];
type ResponseInitOrStatus = number | { status?: number; headers?: HeaderInit };

/** `c.req`. The body can be read as often as needed, except through `raw`, which is a stream. */
export interface PluginHttpRequest {
  /** The standard Request. Its body is streamed and byte-exact; its `signal` aborts when the client goes away. */
  readonly raw: Request;
  readonly method: string;
  readonly url: string;
  /** Path of `url`, the mount `/api/v1/plugins/<id>/http` included. */
  readonly path: string;
  header(name: string): string | undefined;
  /** All headers, names in lower case. */
  header(): Record<string, string>;
  /** First value of a query parameter. */
  query(name: string): string | undefined;
  query(): Record<string, string>;
  /** Every value of a query parameter; undefined when it is not there. */
  queries(name: string): string[] | undefined;
  /** Always empty: `:` and `*` in a path are ordinary characters. */
  param(name: string): undefined;
  param(): Record<string, never>;
  /** @throws SyntaxError when the body is not JSON. */
  json<T = unknown>(): Promise<T>;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  /** A multipart or urlencoded body. @throws TypeError for another content type. */
  formData(): Promise<FormData>;
}

/** What a route's handler receives; the members are those of Hono's context. */
export interface PluginHttpContext {
  readonly req: PluginHttpRequest;
  json(value: JsonInput, init?: ResponseInitOrStatus, headers?: HeaderInit): Response;
  json<Value>(value: Value & JsonLike<Value>, init?: ResponseInitOrStatus, headers?: HeaderInit): Response;
  text(text: string, init?: ResponseInitOrStatus, headers?: HeaderInit): Response;
  html(html: string, init?: ResponseInitOrStatus, headers?: HeaderInit): Response;
  body(body: string | ArrayBuffer | ArrayBufferView | ReadableStream | null, init?: ResponseInitOrStatus, headers?: HeaderInit): Response;
  /** @param status Default 302. */
  redirect(location: string | URL, status?: number): Response;
  notFound(): Response;
  /** A header of responses made afterwards; without a value it is taken back. */
  header(name: string, value?: string, options?: { append?: boolean }): void;
  /** Status of responses made afterwards that name none. */
  status(code: number): void;
  get<T = unknown>(key: unknown): T | undefined;
  set(key: unknown, value: unknown): void;
}

/** Answers the requests of a route. A throw, and what is no response, becomes 500 `handler_error`. */
export type PluginHttpHandler = (c: PluginHttpContext) => MaybePromise<PluginHttpResponse>;

/** One WebSocket. `close` and `send` may be passed around. */
export interface PluginSocket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: 0 | 1 | 2 | 3;
  /** Set once it has closed. */
  readonly code?: number;
  readonly reason?: string;
  /**
   * @throws Error when the socket is not open, RangeError for a message over 16 MiB. A client that is 4 MiB behind is
   *   closed with 1013.
   */
  send(data: string | Uint8Array | ArrayBuffer): void;
  /**
   * @param code 1000 (default) to 1014 or 3000 to 4999.
   * @param reason At most 123 bytes.
   */
  close(code?: number, reason?: string): void;
}

/**
 * Callbacks of one socket run one at a time: the next waits until a returned promise settles. A callback that fails is
 * counted and logged and reported to `onError`; the socket stays open.
 */
export interface PluginSocketHandlers {
  onOpen?(socket: PluginSocket): MaybePromise<void>;
  onMessage?(socket: PluginSocket, data: string | Uint8Array): MaybePromise<void>;
  /** `closed` is the socket, so both `onClose({ code, reason })` and `onClose(socket, { code, reason })` work. */
  onClose?(
    closed: PluginSocket & { readonly code: number; readonly reason: string },
    info: { readonly code: number; readonly reason: string },
  ): MaybePromise<void>;
  onError?(socket: PluginSocket, error: unknown): MaybePromise<void>;
}

/** The handshake of a WebSocket, before it is accepted. */
export interface PluginSocketRequest {
  readonly request: Request;
  readonly url: URL;
  readonly headers: Headers;
}

/** `svc.http`: routes and WebSockets of the plugin, below `/api/v1/plugins/<id>/http`. */
export interface PluginHttp {
  /**
   * Serves `/api/v1/plugins/<id>/http<path>`. The path is compared as it is, after one percent-decoding; a GET route
   * answers HEAD too. Request bodies are at most 256 MiB (`plugins.httpBodyMax`), then 413 `too_large`.
   *
   * A handler that throws, or returns something else than a response, is answered with 500 `handler_error`.
   *
   * @param path Starts with `/`.
   * @throws TypeError when an argument is not valid or the method and path are taken: `duplicate name "GET /x"`.
   */
  route(method: PluginHttpMethod, path: string, handler: PluginHttpHandler, options?: PluginHttpOptions): void;
  /**
   * Serves WebSockets on the same mount; a plain GET does not reach it, so a path may have both. `factory` is called for
   * each connection before it is accepted; one that throws closes it with 1011. Messages are at most 16 MiB (1009).
   * Reload, disable and shutdown close with 1012.
   */
  experimental_websocket(
    path: string,
    factory: (request: PluginSocketRequest) => MaybePromise<PluginSocketHandlers>,
    options?: PluginHttpOptions,
  ): void;
}
