import { act, cleanup, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { kRefetchJoinMs } from "#sdk/app_policy/limits.js";
import { realtime } from "@/api/realtime";
import { publishPlugins } from "@/plugins/active";
import { kHooks } from "@/sdk_app/hooks";
import { pluginQueryClient } from "@/sdk_app/rpc_queries";

import { activePlugin } from "../plugins/fake_plugins";
import { fakeMount, renderHookInMount, reply } from "./mounts";

const fetchMock = vi.fn<typeof fetch>();
const signals = new Map<string, (payload: unknown) => void>();
let connected: (isReconnect: boolean) => void = () => undefined;

/** Inputs of the calls so far. */
const inputs = () => fetchMock.mock.calls.map(([, init]) => JSON.parse(init!.body as string) as unknown);

beforeEach(() => {
  fetchMock.mockReset();
  let count = 0;
  fetchMock.mockImplementation(async () => reply(200, { ok: true, result: ++count }));
  vi.stubGlobal("fetch", fetchMock);
  signals.clear();
  vi.spyOn(realtime, "onSignal").mockImplementation((id, channel, listener) => {
    const name = `${id}/${channel}`;
    signals.set(name, listener as (payload: unknown) => void);
    return () => signals.get(name) === listener && signals.delete(name);
  });
  vi.spyOn(realtime, "onConnected").mockImplementation((listener) => {
    connected = listener;
    return () => undefined;
  });
  pluginQueryClient.clear();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const query = (options: Partial<Parameters<typeof kHooks.experimental_useRpcQuery>[0]> = {}, mount = fakeMount()) =>
  renderHookInMount(() => kHooks.experimental_useRpcQuery<number>({ method: "count", ...options }), { mount });

describe("experimental_useRpcQuery", () => {
  it("fetches, and shares the result between mounts of one plugin", async () => {
    const { seen } = query();
    expect(seen.current).toMatchObject({ data: undefined, isLoading: true, isFetching: true, error: null });
    await waitFor(() => expect(seen.current).toMatchObject({ data: 1, isLoading: false }));
    expect(query().seen.current.data).toBe(1);
    const other = query({}, fakeMount({ plugin: activePlugin("other") }));
    expect(other.seen.current.data).toBeUndefined();
    await waitFor(() => expect(other.seen.current.data).toBe(2));
  });

  it("asks anew for another input and for the next version of the plugin", async () => {
    const { seen } = query({ input: { a: 1 } });
    await waitFor(() => expect(seen.current.data).toBe(1));
    const next = query({ input: { a: 2 } });
    await waitFor(() => expect(next.seen.current.data).toBe(2));
    const newer = query({ input: { a: 1 } }, fakeMount({ plugin: activePlugin("todo", { generation: 2 }) }));
    await waitFor(() => expect(newer.seen.current.data).toBe(3));
    expect(inputs()).toEqual([{ a: 1 }, { a: 2 }, { a: 1 }]);
  });

  it("does not try again by itself, and does so when asked", async () => {
    fetchMock.mockImplementationOnce(async () => reply(500, { ok: false, error: { code: "handler_error", message: "no disk" } }));
    const { seen } = query();
    const { refetch } = seen.current;
    await waitFor(() => expect(seen.current.error).toMatchObject({ message: "no disk", code: "handler_error" }));
    expect(seen.current).toMatchObject({ isLoading: false, isFetching: false, data: undefined });
    expect(fetchMock).toHaveBeenCalledOnce();
    await act(() => seen.current.refetch());
    await waitFor(() => expect(seen.current).toMatchObject({ data: 1, error: null }));
    expect(seen.current.refetch, "effects depend on it").toBe(refetch);
  });

  it("waits while it is disabled", () => {
    const { seen } = query({ enabled: false });
    expect(seen.current).toMatchObject({ isLoading: false, isFetching: false });
    expect(fetchMock).not.toHaveBeenCalled();
    expect(signals.size).toBe(0);
  });

  it("refuses an input that is not JSON with its path, without breaking the component", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.me = cyclic;
    const { seen } = query({ input: cyclic as never });
    await waitFor(() => expect(seen.current.error?.message).toContain("$input.me"));
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it("fetches once for signals and reconnects within a moment", async () => {
    const affects = (payload: unknown) => payload === "mine";
    const { seen } = query({ realtime: [{ channel: "a" }, { channel: "b", affects }] });
    await waitFor(() => expect(seen.current.data).toBe(1));
    vi.useFakeTimers();
    signals.get("todo/a")!(null);
    signals.get("todo/b")!("mine");
    connected(true);
    await act(() => vi.advanceTimersByTimeAsync(kRefetchJoinMs - 1));
    expect(fetchMock).toHaveBeenCalledOnce();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(fetchMock).toHaveBeenCalledTimes(2);
    signals.get("todo/b")!("of somebody else");
    connected(false);
    await act(() => vi.advanceTimersByTimeAsync(kRefetchJoinMs * 2));
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });

  it("fetches what another load of the server entry answers", async () => {
    publishPlugins([activePlugin("todo"), activePlugin("other")]);
    const { seen } = query();
    await waitFor(() => expect(seen.current.data).toBe(1));
    publishPlugins([activePlugin("todo"), activePlugin("other", { serverGeneration: 2 })]);
    publishPlugins([activePlugin("todo", { serverGeneration: 2 }), activePlugin("other", { serverGeneration: 2 })]);
    await waitFor(() => expect(seen.current.data).toBe(2));
    publishPlugins([]);
    publishPlugins([activePlugin("todo", { serverGeneration: 2 })]);
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });

  it("keeps no result that a signal or a reconnect has made old while nobody showed it", async () => {
    const affects = (payload: unknown) => payload === "mine";
    const options = { realtime: [{ channel: "a", affects }] };
    const shown = async (value: number) => {
      const { seen, unmount } = query(options);
      await waitFor(() => expect(seen.current).toMatchObject({ data: value, isFetching: false }));
      return unmount;
    };
    (await shown(1))();
    signals.get("todo/a")!("of somebody else");
    connected(false);
    (await shown(1))();
    signals.get("todo/a")!("mine");
    expect(fetchMock).toHaveBeenCalledOnce();
    (await shown(2))();
    connected(true);
    const unmount = await shown(3);
    // The fetch for it would have come a moment later.
    signals.get("todo/a")!("mine");
    unmount();
    (await shown(4))();
    // What nobody keeps, nobody watches.
    pluginQueryClient.clear();
    expect(signals.size).toBe(0);
  });

  it("asks again when a signal arrives while an answer is on its way", async () => {
    const first = new Promise<Response>(() => undefined);
    fetchMock.mockImplementationOnce(() => first);
    const { seen } = query({ realtime: [{ channel: "a" }] });
    await waitFor(() => expect(fetchMock).toHaveBeenCalledOnce());
    signals.get("todo/a")!(null);
    await waitFor(() => expect(seen.current.data).toBe(1));
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });
});

describe("experimental_useRpcInfiniteQuery", () => {
  it("fetches page by page until there is no cursor, and all of them again", async () => {
    fetchMock.mockImplementation(async (_target, init) => {
      const { cursor } = JSON.parse(init!.body as string) as { cursor: number | null };
      return reply(200, { ok: true, result: { at: cursor ?? 0, next: (cursor ?? 0) < 2 ? (cursor ?? 0) + 1 : null } });
    });
    const { seen } = renderHookInMount(() =>
      kHooks.experimental_useRpcInfiniteQuery<{ at: number; next: number | null }>({
        method: "list",
        input: (cursor) => ({ cursor }),
        getNextCursor: ({ next }) => next,
      }),
    );
    await waitFor(() => expect(seen.current).toMatchObject({ data: [{ at: 0 }], hasNextPage: true }));
    // The cache tells its readers a turn after the fetch has ended.
    const pages = () => seen.current.data?.map(({ at }) => at);
    await act(() => seen.current.fetchNextPage());
    await waitFor(() => expect(pages()).toEqual([0, 1]));
    await act(() => seen.current.fetchNextPage());
    await waitFor(() => expect(pages()).toEqual([0, 1, 2]));
    expect(seen.current.hasNextPage).toBe(false);
    await act(() => seen.current.fetchNextPage());
    expect(fetchMock).toHaveBeenCalledTimes(3);
    await act(() => seen.current.refetch());
    expect(inputs().slice(3)).toEqual([{ cursor: null }, { cursor: 1 }, { cursor: 2 }]);
  });
});
