import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { api } from "@/api/http";
import { ApiError } from "@/lib/api_error";

const fetchMock = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetchMock);
  fetchMock.mockReset();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function answer(status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  fetchMock.mockResolvedValueOnce(new Response(text, { status, headers }));
}

/** A fetch that ends only when it is aborted. */
function hang(): void {
  fetchMock.mockImplementationOnce(
    (_input, init) =>
      new Promise((_resolve, reject) => init!.signal!.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")))),
  );
}

describe("api", () => {
  it("returns the members of the envelope", async () => {
    answer(200, { ok: true, plugins: [1], total: 2 });
    await expect(api("GET", "/plugins")).resolves.toEqual({ plugins: [1], total: 2 });
  });

  it("sends JSON with its type, and the query without what is undefined", async () => {
    answer(200, { ok: true });
    await api("PUT", "/plugins/a/settings", { body: { values: { n: 1 } }, query: { q: "a b", tail: 5, no: undefined, yes: true } });
    const [target, init] = fetchMock.mock.calls[0]!;
    expect(String(target)).toMatch(/\/api\/v1\/plugins\/a\/settings\?q=a\+b&tail=5&yes=true$/);
    expect(init).toMatchObject({
      method: "PUT",
      body: '{"values":{"n":1}}',
      headers: { "content-type": "application/json", accept: "application/json" },
    });
  });

  it("sends no content type without a body", async () => {
    answer(200, { ok: true });
    await api("POST", "/plugins/a/enable");
    expect(fetchMock.mock.calls[0]![1]!.headers).not.toHaveProperty("content-type");
  });

  it("throws the service's failure with everything it says", async () => {
    const issues = [{ message: "Expected a number", path: ["values", "n"] }];
    answer(
      400,
      { ok: false, error: { code: "invalid_input", message: "bad value", issues, details: { pluginId: "a" } } },
      { "x-request-id": "r1" },
    );
    const failure = await api("GET", "/x").catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      message: "bad value",
      code: "invalid_input",
      status: 400,
      requestId: "r1",
      issues,
      details: { pluginId: "a" },
    });
  });

  it.each([
    [502, "<html>Bad Gateway</html>"],
    [200, "[]"],
    [200, '{"plugins":[]}'],
    [500, '{"ok":false}'],
    [200, ""],
  ])("calls an answer that is no envelope invalid: %d %s", async (status, body) => {
    answer(status, body);
    await expect(api("GET", "/x")).rejects.toMatchObject({ code: "invalid_answer", status });
  });

  it("names a service that cannot be reached", async () => {
    const cause = new TypeError("Failed to fetch");
    fetchMock.mockRejectedValueOnce(cause);
    await expect(api("GET", "/x")).rejects.toMatchObject({ code: "network_error", status: 0, cause });
  });

  it("gives up after the time it has", async () => {
    vi.useFakeTimers();
    hang();
    const call = expect(api("GET", "/x", { timeoutMs: 1000 })).rejects.toMatchObject({ code: "timeout", status: 0 });
    await vi.advanceTimersByTimeAsync(1000);
    await call;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits longer for changes than for reads", async () => {
    vi.useFakeTimers();
    hang();
    hang();
    const ended: string[] = [];
    void api("GET", "/x").catch(() => ended.push("read"));
    void api("POST", "/x").catch(() => ended.push("change"));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ended).toEqual(["read"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended).toEqual(["read", "change"]);
  });

  it("ends with the caller's signal, which is no failure of the service", async () => {
    const controller = new AbortController();
    hang();
    const call = api("GET", "/x", { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    await expect(api("GET", "/x", { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
    expect(fetchMock).toHaveBeenCalledOnce();
  });
});

describe("the base path", () => {
  const load = async (base: string) => {
    vi.resetModules();
    document.head.innerHTML = `<base href="${base}">`;
    try {
      return { ...(await import("@/api/http")), ...(await import("@/lib/address")) };
    } finally {
      document.head.innerHTML = "";
    }
  };

  it("is nothing at the root", async () => {
    const http = await load("http://host:1/");
    expect(http.routerBasename()).toBe("/");
    expect(http.url("/api/v1/plugins")).toBe("http://host:1/api/v1/plugins");
  });

  it("goes before every path of the service", async () => {
    const http = await load("http://host:1/tools/svc/");
    expect(http.routerBasename()).toBe("/tools/svc/");
    expect(http.url("/api/v1/plugins/a/assets/app.js?h=1")).toBe("http://host:1/tools/svc/api/v1/plugins/a/assets/app.js?h=1");
    fetchMock.mockResolvedValueOnce(new Response('{"ok":true}'));
    await http.api("GET", "/plugins");
    expect(String(fetchMock.mock.calls[0]![0])).toBe("http://host:1/tools/svc/api/v1/plugins");
  });
});
