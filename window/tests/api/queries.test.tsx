import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { followServer, queryClient, queryKeys, usePlugin, usePlugins } from "@/api/queries";
import { createRealtime, type Realtime } from "@/api/realtime";

import { FakeSurroundings } from "./fake_surroundings";

let around: FakeSurroundings;
let realtime: Realtime;
let client: QueryClient;
let stop: () => void;
const fetched = vi.fn<(name: string) => Promise<string>>();

beforeEach(() => {
  vi.useFakeTimers();
  around = new FakeSurroundings();
  realtime = createRealtime(around);
  client = new QueryClient({ defaultOptions: queryClient.getDefaultOptions() });
  stop = followServer(realtime, client);
  fetched.mockReset();
  fetched.mockImplementation(async (name) => name);
  realtime.start();
});
afterEach(() => {
  cleanup();
  stop();
  realtime.stop();
  client.clear();
  queryClient.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function Use({ queryKey, name }: { queryKey: readonly string[]; name: string }) {
  useQuery({ queryKey, queryFn: () => fetched(name) });
  return null;
}

async function show(...uses: [string, readonly string[]][]): Promise<void> {
  render(
    <QueryClientProvider client={client}>
      {uses.map(([name, queryKey]) => (
        <Use key={name} name={name} queryKey={queryKey} />
      ))}
    </QueryClientProvider>,
  );
  await settle();
}

/** Lets what is on its way arrive, without letting time pass. */
const settle = () => act(() => vi.advanceTimersByTimeAsync(0));
const fetches = () => fetched.mock.calls.map(([name]) => name);
const changed = () => around.socket.receive({ type: "plugins-changed", plugins: [] });
const configChanged = () => around.socket.receive({ type: "changed", entity: "system", changes: ["config-changed"] });

describe("followServer", () => {
  it("fetches records and settings that are on screen again when plugins change, and nothing else", async () => {
    around.socket.open();
    await show(
      ["list", queryKeys.plugins],
      ["record", queryKeys.plugin("a")],
      ["settings", queryKeys.pluginSettings("a")],
      ["config", queryKeys.systemConfig],
    );
    await client.prefetchQuery({ queryKey: queryKeys.pluginSettings("b"), queryFn: () => fetched("not on screen") });
    fetched.mockClear();
    changed();
    await settle();
    expect(fetches()).toEqual(["list", "record", "settings"]);
  });

  it("joins a burst of changes", async () => {
    around.socket.open();
    await show(["list", queryKeys.plugins]);
    fetched.mockClear();
    for (let i = 0; i < 10; i += 1) {
      changed();
      await act(() => vi.advanceTimersByTimeAsync(20));
    }
    expect(fetches()).toEqual(["list"]);
    await act(() => vi.advanceTimersByTimeAsync(250));
    expect(fetches()).toEqual(["list", "list"]);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(fetches()).toHaveLength(2);
  });

  it("fetches everything on screen again after a reconnect", async () => {
    around.socket.open();
    await show(["list", queryKeys.plugins], ["config", queryKeys.systemConfig]);
    fetched.mockClear();
    around.socket.drop();
    await act(() => vi.advanceTimersByTimeAsync(1000));
    around.socket.open();
    await settle();
    expect(fetches()).toEqual(["list", "config"]);
  });

  it("lets what is being fetched at the first connect finish, and asks once more", async () => {
    let finish: (value: string) => void = () => undefined;
    fetched.mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)));
    await show(["list", queryKeys.plugins]);
    around.socket.open();
    await settle();
    expect(fetches()).toEqual(["list"]);
    finish("done");
    await settle();
    expect(fetches()).toEqual(["list", "list"]);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(fetches()).toHaveLength(2);
  });

  it.each([
    ["plugins", queryKeys.plugins, () => changed()],
    ["the palette", ["system", "theme"], () => configChanged()],
  ])("lets a first answer of %s finish that may be of before a change, and asks once more", async (_, queryKey, change) => {
    around.socket.open();
    let finish: (value: string) => void = () => undefined;
    fetched.mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)));
    await show(["first", queryKey]);
    change();
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(fetches()).toEqual(["first"]);
    finish("done");
    await settle();
    expect(fetches()).toEqual(["first", "first"]);
  });

  it("ends with the function it returned", async () => {
    around.socket.open();
    await show(["list", queryKeys.plugins]);
    fetched.mockClear();
    changed();
    changed();
    stop();
    changed();
    await act(() => vi.advanceTimersByTimeAsync(5000));
    expect(fetches()).toEqual(["list"]);
  });
});

describe("records", () => {
  function Names() {
    const list = usePlugins();
    const one = usePlugin("b");
    return (
      <p>
        {list.data?.map(({ id }) => id).join()} / {one.data?.name} / {one.isPlaceholderData ? "from the list" : "own"}
      </p>
    );
  }

  it("shows what the list knows of a plugin until its own record is there", async () => {
    let answer: (response: Response) => void = () => undefined;
    const list = [
      { id: "a", name: "A" },
      { id: "b", name: "B" },
    ];
    vi.stubGlobal("fetch", (target: URL) =>
      target.pathname.endsWith("/b")
        ? new Promise((resolve) => (answer = resolve))
        : Promise.resolve(new Response(JSON.stringify({ ok: true, plugins: list }))),
    );
    const tree = () => (
      <QueryClientProvider client={queryClient}>
        <Names />
      </QueryClientProvider>
    );
    const { rerender } = render(tree());
    await settle();
    rerender(tree());
    expect(screen.getByText("a,b / B / from the list")).toBeTruthy();
    answer(new Response(JSON.stringify({ ok: true, plugin: { id: "b", name: "Bee" } })));
    await settle();
    expect(screen.getByText("a,b / Bee / own")).toBeTruthy();
  });
});

describe("queryClient", () => {
  it("asks again when nothing answered, and not when the service did", async () => {
    const attempts = async (answer: () => Promise<Response>) => {
      const fetchMock = vi.fn(answer);
      vi.stubGlobal("fetch", fetchMock);
      const { api } = await import("@/api/http");
      const ended = queryClient.fetchQuery({ queryKey: ["x", Math.random()], queryFn: () => api("GET", "/x") }).catch(() => undefined);
      await vi.advanceTimersByTimeAsync(30_000);
      await ended;
      return fetchMock.mock.calls.length;
    };
    await expect(attempts(() => Promise.reject(new TypeError("Failed to fetch")))).resolves.toBe(3);
    await expect(
      attempts(async () => new Response('{"ok":false,"error":{"code":"not_found","message":"no"}}', { status: 404 })),
    ).resolves.toBe(1);
  });
});
