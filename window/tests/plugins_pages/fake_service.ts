import { vi } from "vitest";

export interface FakeRequest {
  readonly method: string;
  /** Below `/api/v1`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: Headers;
}

type Handler = (request: FakeRequest) => unknown;

/** What a handler throws for a failure of the service. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: { issues?: unknown; details?: unknown } = {},
  ) {
    super(message);
  }
}

/** Answers requests of the window in place of `svcd`; unknown routes are 404. */
export class FakeService {
  readonly requests: FakeRequest[] = [];
  private readonly routes = new Map<string, Handler>();

  /** `route` is such as `GET /plugins`; the handler gives the members of the envelope or a whole answer, now or later, or throws a Refusal. */
  on(route: string, handler: Handler): this {
    this.routes.set(route, handler);
    return this;
  }

  /** The bodies of the requests to a route. */
  bodies(route: string): unknown[] {
    return this.requests.filter(({ method, path }) => `${method} ${path}` === route).map(({ body }) => body);
  }

  install(): this {
    vi.stubGlobal("fetch", (input: URL | string, init: RequestInit = {}) => this.answer(new URL(String(input), document.baseURI), init));
    vi.stubGlobal(
      "XMLHttpRequest",
      followedRequests((url, init) => this.answer(url, init)),
    );
    return this;
  }

  private async answer(url: URL, init: RequestInit): Promise<Response> {
    const request: FakeRequest = {
      method: init.method ?? "GET",
      path: url.pathname.replace(/^.*\/api\/v1/, ""),
      query: url.searchParams,
      body: typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined,
      headers: new Headers(init.headers),
    };
    this.requests.push(request);
    const handler = this.routes.get(`${request.method} ${request.path}`);
    try {
      if (handler === undefined) {
        throw new Refusal(404, "unknown_route", `unknown route: ${request.method} ${request.path}`);
      }
      const members = (await Promise.race([handler(request), leaving(init.signal)])) as object;
      if (members instanceof Response) {
        return members;
      }
      return Response.json({ ok: true, ...members });
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      const { status, code, message, more } = error;
      return Response.json({ ok: false, error: { code, message, ...more } }, { status });
    }
  }
}

/** What stands in for the requests that tell how much of them is sent: one half before the answer, then all. */
function followedRequests(answer: (url: URL, init: RequestInit) => Promise<Response>) {
  return class {
    readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
    onload?: () => void;
    onabort?: () => void;
    responseText = "";
    status = 0;
    readonly #headers = new Headers();
    readonly #leave = new AbortController();
    #method = "";
    #target = new URL("http://unset/");

    open(method: string, target: string): void {
      this.#method = method;
      this.#target = new URL(target);
    }
    setRequestHeader(name: string, value: string): void {
      this.#headers.set(name, value);
    }
    getResponseHeader(): null {
      return null;
    }
    abort(): void {
      this.#leave.abort();
      this.onabort?.();
    }
    send(): void {
      this.upload.onprogress?.({ loaded: 1, total: 2 });
      const init = { method: this.#method, headers: this.#headers, signal: this.#leave.signal };
      void answer(this.#target, init).then(
        async (response) => {
          this.responseText = await response.text();
          this.status = response.status;
          this.onload?.();
        },
        () => undefined,
      );
    }
  };
}

/** Rejects when the window gives the request up. */
function leaving(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
