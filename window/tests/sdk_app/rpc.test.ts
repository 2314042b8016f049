import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type PluginSummary, realtime } from "@/api/realtime";
import { rpcClientOf } from "@/sdk_app/rpc";

import { reply } from "./mounts";

const fetchMock = vi.fn<typeof fetch>();
let listeners: Set<(plugins: PluginSummary[]) => void>;
let connectListeners: Set<(isReconnect: boolean) => void>;

const kStarting = () =>
  reply(503, {
    ok: false,
    error: { code: "plugin_not_running", message: "it is not running", details: { pluginId: "late", status: "starting" } },
  });
const announce = (status: PluginSummary["status"]) => [...listeners].forEach((listener) => listener([{ id: "late", status, hash: null }]));

beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal("fetch", fetchMock);
  listeners = new Set();
  connectListeners = new Set();
  vi.spyOn(realtime, "onPluginsChanged").mockImplementation((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  });
  vi.spyOn(realtime, "onConnected").mockImplementation((listener) => {
    connectListeners.add(listener);
    return () => connectListeners.delete(listener);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const call = (options?: Parameters<ReturnType<typeof rpcClientOf>["call"]>[2]) => rpcClientOf("late").call("count", null, options);

describe("a call to a plugin that starts", () => {
  it("is sent again when the plugin runs", async () => {
    fetchMock.mockImplementationOnce(async () => kStarting()).mockImplementationOnce(async () => reply(200, { ok: true, result: 7 }));
    const result = call();
    await vi.waitFor(() => expect(fetchMock).toHaveBeenCalledTimes(1));
    announce("starting");
    await Promise.resolve();
    expect(fetchMock).toHaveBeenCalledTimes(1);
    announce("running");
    await expect(result).resolves.toBe(7);
    expect(fetchMock).toHaveBeenCalledTimes(2);
    expect(listeners.size + connectListeners.size).toBe(0);
  });

  it("is sent again when the start was announced before the refusal arrived, or the connection was lost meanwhile", async () => {
    fetchMock
      .mockImplementationOnce(async () => {
        announce("running");
        return kStarting();
      })
      .mockImplementationOnce(async () => kStarting())
      .mockImplementationOnce(async () => reply(200, { ok: true, result: 7 }));
    const result = call();
    await vi.waitFor(() => expect(fetchMock).toHaveBeenCalledTimes(2));
    [...connectListeners].forEach((listener) => listener(true));
    await expect(result).resolves.toBe(7);
  });

  it("tells how the start ended", async () => {
    const failed = { ok: false, error: { code: "plugin_not_running", message: "it has failed", details: { status: "error" } } };
    fetchMock.mockImplementationOnce(async () => kStarting()).mockImplementationOnce(async () => reply(503, failed));
    const result = expect(call()).rejects.toMatchObject({ code: "plugin_not_running", message: "it has failed" });
    await vi.waitFor(() => expect(fetchMock).toHaveBeenCalledTimes(1));
    announce("error");
    await result;
  });

  it("waits as long as it takes when it may", async () => {
    vi.useFakeTimers();
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 3e9]) {
      let answer: (response: Response) => void = () => undefined;
      fetchMock.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
      const result = call({ timeoutMs });
      await vi.advanceTimersByTimeAsync(86_400_000);
      answer(reply(200, { ok: true, result: 1 }));
      await expect(result).resolves.toBe(1);
    }
    vi.useRealTimers();
  });

  it("waits no longer than the call may take, and ends with its signal", async () => {
    fetchMock.mockImplementation(async () => kStarting());
    await expect(call({ timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });
    const controller = new AbortController();
    const aborted = expect(call({ signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => expect(fetchMock).toHaveBeenCalledTimes(2));
    controller.abort();
    await aborted;
    await vi.waitFor(() => expect(listeners.size + connectListeners.size).toBe(0));
  });
});
