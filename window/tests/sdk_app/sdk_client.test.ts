import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { realtime } from "@/api/realtime";
import { sdkClientOf } from "@/sdk_app/sdk_client";

import { readMethods, unsupportedPaths } from "../../../modules/sdkclient/js/methods";
import { reply, unknownRoute } from "./mounts";

const fetchMock = vi.fn<typeof fetch>();
const last = () => {
  const [target, init] = fetchMock.mock.lastCall!;
  const { pathname, search } = new URL(target instanceof Request ? target.url : target);
  return {
    method: init?.method ?? "GET",
    path: pathname + search,
    body: init?.body === undefined ? undefined : (JSON.parse(init.body as string) as unknown),
  };
};
const sdk = sdkClientOf("my-plugin");

beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal("fetch", fetchMock);
});
afterEach(() => void vi.unstubAllGlobals());

describe("useSdk's client", () => {
  it("has every method of the server's table", () => {
    const paths = [...readMethods().map(({ path }) => path), ...unsupportedPaths(), "plugins.callRpc", "threads.wait", "subscribe"];
    const missing = paths.filter(
      (path) =>
        typeof path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], sdk) !== "function",
    );
    expect(missing).toEqual([]);
  });

  it("waits for threads as the server's own client does", async () => {
    fetchMock.mockImplementation(async () =>
      reply(200, { ok: true, thread: { id: "t", status: fetchMock.mock.calls.length < 3 ? "active" : "idle" } }),
    );
    expect(await sdk.threads.wait({ threadId: "t", status: "idle", pollIntervalMs: 1 })).toMatchObject({
      matched: true,
      threadId: "t",
      target: { kind: "status", status: "idle" },
    });
    expect(fetchMock).toHaveBeenCalledTimes(3);
    await expect(sdk.threads.wait({ threadId: "t", status: "error", timeoutMs: 0 })).rejects.toMatchObject({
      name: "ThreadWaitTimeoutError",
    });
    await expect(sdk.threads.wait({ threadId: "t" } as never)).rejects.toThrow('needs exactly one of "status" and "event"');
  });

  it("says whose threads are that it makes", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, thread: { id: "t" } }));
    await sdk.threads.spawn({ projectId: "p", input: [{ type: "text", text: "x" }] } as never);
    expect(last().body).toMatchObject({ projectId: "p", origin: "plugin", originPluginId: "my-plugin" });
    await sdk.threads.fork({ sourceThreadId: "t" } as never);
    expect(last().body).toMatchObject({ origin: "plugin", originPluginId: "my-plugin" });
  });

  it("is the same object for a plugin", () => {
    expect(sdkClientOf("my-plugin")).toBe(sdk);
  });

  it("makes requests as the server's own client does", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, plugins: [], schema: {}, values: {}, threads: [{ id: "t" }] }));
    await sdk.plugins.getSettings();
    expect(last()).toMatchObject({ method: "GET", path: "/api/v1/plugins/my-plugin/settings" });
    await sdk.plugins.updateSettings({ pluginId: "a/b", values: { x: 1 } });
    expect(last()).toEqual({ method: "PUT", path: "/api/v1/plugins/a%2Fb/settings", body: { values: { x: 1 } } });
    await sdk.plugins.reload({ pluginId: "x" });
    expect(last()).toEqual({ method: "POST", path: "/api/v1/plugins/reload?id=x", body: {} });
    expect(await sdk.threads.list({ projectId: "p", limit: 5 })).toEqual([{ id: "t" }]);
    expect(last().path).toBe("/api/v1/threads?projectId=p&limit=5");
    await sdk.plugins.remove({ pluginId: "x", purge: true });
    expect(last()).toMatchObject({ method: "DELETE", path: "/api/v1/plugins/x?purge=true" });
  });

  it("returns the whole answer with its ok, where it is not one record or one list", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, token: "t", marketplace: { name: "a" }, results: [], plugins: [] }));
    expect(await sdk.plugins.token()).toMatchObject({ ok: true, token: "t" });
    expect(await sdk.plugins.list()).toMatchObject({ ok: true, plugins: [] });
    expect(await sdk.plugins.marketplaces.add({ source: "https://a" })).toEqual({ name: "a" });
    expect(await sdk.plugins.marketplaces.refresh()).toEqual([]);
    expect(last()).toMatchObject({ method: "POST", path: "/api/v1/marketplaces/refresh" });
  });

  it("takes the id of a theme alone", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, theme: { themeId: "nord" } }));
    expect(await sdk.theme.set("nord")).toEqual({ themeId: "nord" });
    expect(last()).toEqual({ method: "PUT", path: "/api/v1/theme", body: { themeId: "nord" } });
  });

  it("puts the status together", async () => {
    fetchMock.mockImplementation(async (target) =>
      String(target).endsWith("/readyz") ? reply(200, { modules: [], plugins: [] }) : reply(200, { ok: true, project: { id: "p" } }),
    );
    expect(await sdk.status.get({ projectId: "p" })).toEqual({
      ok: true,
      project: { id: "p" },
      thread: null,
      childThreads: null,
      pendingTodos: null,
      modules: [],
      plugins: [],
    });
  });

  it("rejects with the error of the service", async () => {
    const error = { code: "invalid_input", message: "bad", details: { a: 1 }, issues: [{ message: "m" }] };
    fetchMock.mockImplementation(async () => reply(400, { ok: false, error }));
    await expect(sdk.plugins.install({ source: "x" })).rejects.toMatchObject({ name: "HttpError", status: 400, ...error });
  });

  it("says what this service does not have", async () => {
    fetchMock.mockImplementation(async () => unknownRoute());
    const notSupported = { name: "HttpError", status: 501, code: "not_supported" };
    await expect(sdk.threads.list()).rejects.toMatchObject(notSupported);
    await expect(sdk.theme.get()).rejects.toMatchObject(notSupported);
    fetchMock.mockImplementation(async () =>
      reply(404, { ok: false, error: { code: "not_found", message: "unknown route: none of that name" } }),
    );
    await expect(sdk.threads.get({ threadId: "t" })).rejects.toMatchObject({ status: 404, code: "not_found" });
  });

  it("refuses arguments that cannot be sent before it sends", async () => {
    await expect(sdk.threads.get({} as never)).rejects.toThrow('svc.sdk.threads.get: "threadId" is missing');
    await expect(sdk.threads.get("t" as never)).rejects.toThrow("needs one object { threadId }");
    await expect(sdk.plugins.install({ source: new Date() as never })).rejects.toThrow("$argument.source");
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it("calls methods of other plugins and checks what they return", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, result: { n: "x" } }));
    expect(await sdk.plugins.callRpc({ pluginId: "other", method: "a.b", input: [1] })).toEqual({ n: "x" });
    expect(last()).toEqual({ method: "POST", path: "/api/v1/plugins/other/rpc/a.b", body: [1] });
    await sdk.plugins.callRpc({ pluginId: "other", method: "a.b", input: null });
    expect(last().body).toBeNull();
    await sdk.plugins.callRpc({ pluginId: "other", method: "a.b" });
    expect(last().body).toBeUndefined();
    const refusing = { "~standard": { version: 1 as const, vendor: "t", validate: () => ({ issues: [{ message: "n is text" }] }) } };
    await expect(sdk.plugins.callRpc({ pluginId: "o", method: "m", outputSchema: refusing })).rejects.toMatchObject({
      code: "invalid_output",
    });
  });

  it("stops when its signal aborts", async () => {
    fetchMock.mockImplementation(
      (_target, init) => new Promise((_, reject) => init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason as Error))),
    );
    const controller = new AbortController();
    const call = sdk.plugins.list({ signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("subscribe", () => {
  it("watches what the event is about", () => {
    const stop = vi.fn();
    const watch = vi.spyOn(realtime, "watch").mockReturnValue(stop);
    const callback = vi.fn();
    const end = sdk.subscribe({ event: "thread:changed", callback, selector: { threadId: "t1" } });
    expect(watch).toHaveBeenCalledWith({ kind: "thread-detail", threadId: "t1" }, expect.any(Function));
    watch.mock.lastCall![1]({ entity: "thread", id: "t1", changes: ["title-changed"] });
    expect(callback).toHaveBeenCalledWith({ type: "changed", entity: "thread", id: "t1", changes: ["title-changed"] });
    end();
    expect(stop).toHaveBeenCalledOnce();
    sdk.subscribe({ event: "host:changed", callback, hostId: "h1", threadId: "not of hosts" });
    expect(watch).toHaveBeenLastCalledWith({ kind: "host-detail", hostId: "h1" }, expect.any(Function));
  });

  it("tells changes of the configuration from others", () => {
    const watch = vi.spyOn(realtime, "watch").mockReturnValue(() => undefined);
    const callback = vi.fn();
    sdk.subscribe({ event: "system:config-changed", callback });
    const [, tell] = watch.mock.lastCall!;
    tell({ entity: "system", changes: ["plugins-changed"] });
    expect(callback).not.toHaveBeenCalled();
    tell({ entity: "system", changes: ["config-changed"] });
    expect(callback).toHaveBeenCalledOnce();
  });

  it("tells the state of the connection, until it ends", async () => {
    let changed: () => void = () => undefined;
    vi.spyOn(realtime, "subscribeState").mockImplementation((listener) => {
      changed = listener;
      return () => undefined;
    });
    const state = vi.spyOn(realtime, "state", "get").mockReturnValue("connected");
    const delay = vi.spyOn(realtime, "retryDelayMs", "get").mockReturnValue(null);
    const callback = vi.fn();
    const end = sdk.subscribe({ event: "realtime:connection", callback });
    await Promise.resolve();
    state.mockReturnValue("reconnecting");
    delay.mockReturnValue(1500);
    changed();
    changed();
    state.mockReturnValue("connected");
    delay.mockReturnValue(null);
    changed();
    expect(callback.mock.calls).toEqual([
      [{ state: "connected", reconnected: false, reconnectDelayMs: null }],
      [{ state: "disconnected", reconnected: false, reconnectDelayMs: 1500 }],
      [{ state: "connected", reconnected: true, reconnectDelayMs: null }],
    ]);
    end();
    state.mockReturnValue("reconnecting");
    changed();
    expect(callback).toHaveBeenCalledTimes(3);
  });

  it("refuses unknown events", () => {
    expect(() => sdk.subscribe({ event: "x" as never, callback: () => undefined })).toThrow('unknown event "x"');
  });
});
