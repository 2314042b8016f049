import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createRealtime, type Realtime } from "@/api/realtime";

import { FakeSurroundings } from "./fake_surroundings";

let around: FakeSurroundings;
let realtime: Realtime;

beforeEach(() => {
  vi.useFakeTimers();
  around = new FakeSurroundings();
  realtime = createRealtime(around);
});
afterEach(() => {
  realtime.stop();
  vi.useRealTimers();
});

function connect(): void {
  realtime.start();
  around.socket.open();
}

describe("connecting", () => {
  it("opens one socket, however often it is started", () => {
    realtime.start();
    realtime.start();
    expect(around.sockets).toHaveLength(1);
    expect(realtime.state).toBe("connecting");
    around.socket.open();
    expect(realtime.state).toBe("connected");
  });

  it("gives up an attempt after 10 s and tries again", () => {
    realtime.start();
    const first = around.socket;
    vi.advanceTimersByTime(9_999);
    expect(first.isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(first.isClosed).toBe(true);
    expect(realtime.state).toBe("connecting");
    vi.advanceTimersByTime(1000);
    expect(around.sockets).toHaveLength(2);
  });

  it("waits 1 s, then half as long again each time, and never more than 30 s", () => {
    realtime.start();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const before = around.sockets.length;
      around.socket.drop();
      const from = Date.now();
      while (around.sockets.length === before) {
        vi.advanceTimersToNextTimer();
      }
      waits.push(Date.now() - from);
    }
    expect(waits.slice(0, 4)).toEqual([1000, 1500, 2250, 3375]);
    expect(waits.at(-1)).toBe(30_000);
    expect(Math.max(...waits)).toBe(30_000);
  });

  it.each([
    [0, 750],
    [0.9, 1200],
  ])("spreads the wait by a quarter: random %d waits %d ms", (random, wait) => {
    around.randomValue = random;
    connect();
    around.socket.drop();
    vi.advanceTimersByTime(wait - 1);
    expect(around.sockets).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(around.sockets).toHaveLength(2);
  });

  it("says how long it waits, while it waits", () => {
    connect();
    expect(realtime.retryDelayMs).toBeNull();
    const told: (number | null)[] = [];
    realtime.subscribeState(() => told.push(realtime.retryDelayMs));
    around.socket.drop();
    expect([told, realtime.state, realtime.retryDelayMs]).toEqual([[1000], "reconnecting", 1000]);
    vi.advanceTimersByTime(1000);
    expect([realtime.state, realtime.retryDelayMs]).toEqual(["reconnecting", null]);
    around.socket.open();
    expect(told).toEqual([1000, null]);
  });

  it("starts with short waits again after it was connected", () => {
    connect();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      around.socket.drop();
      vi.advanceTimersByTime(30_000);
    }
    around.socket.open();
    around.socket.drop();
    const before = around.sockets.length;
    vi.advanceTimersByTime(1000);
    expect(around.sockets).toHaveLength(before + 1);
  });

  it("tries at once when the network is back or the page becomes visible", () => {
    connect();
    around.socket.drop();
    around.goOnline();
    expect(around.sockets).toHaveLength(2);
    around.socket.drop();
    around.setVisible(false);
    expect(around.sockets).toHaveLength(2);
    around.setVisible(true);
    expect(around.sockets).toHaveLength(3);
  });

  it("lets an attempt under way go on when the network is back", () => {
    realtime.start();
    around.goOnline();
    expect(around.sockets).toHaveLength(1);
  });

  it("tries again when no socket can be made at all", () => {
    around.canOpen = false;
    realtime.start();
    around.canOpen = true;
    vi.advanceTimersByTime(1000);
    expect(around.sockets).toHaveLength(1);
  });

  it("says reconnecting once it was connected, and tells of every change", () => {
    const states: string[] = [];
    realtime.subscribeState(() => states.push(realtime.state));
    connect();
    around.socket.drop();
    vi.advanceTimersByTime(1000);
    around.socket.open();
    expect(states).toEqual(["connected", "reconnecting", "connected"]);
  });

  it("stops for good: no socket, no timers, no listeners on the page", () => {
    connect();
    realtime.stop();
    expect(around.socket.isClosed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(around.pageListeners).toBe(0);
    around.socket.drop();
    vi.advanceTimersByTime(60_000);
    expect(around.sockets).toHaveLength(1);
    realtime.start();
    expect(around.sockets).toHaveLength(2);
  });

  it.each([1001, 1006, 1012, 1013])("reconnects after close code %d without a word", (code) => {
    connect();
    around.socket.drop(code);
    vi.advanceTimersByTime(1000);
    expect(around.sockets).toHaveLength(2);
    expect(around.warn).not.toHaveBeenCalled();
  });

  it.each([1008, 1009])("reconnects after close code %d, which is the window's fault, and logs it", (code) => {
    connect();
    around.socket.drop(code, "too many targets");
    vi.advanceTimersByTime(1000);
    expect(around.sockets).toHaveLength(2);
    expect(around.warn).toHaveBeenCalledOnce();
    expect(around.warn.mock.calls[0]![0]).toContain(`${code}, too many targets`);
  });

  it("ignores what a socket it gave up still says", () => {
    realtime.start();
    const first = around.socket;
    vi.advanceTimersByTime(11_000);
    around.socket.open();
    first.open();
    first.drop();
    expect(realtime.state).toBe("connected");
    expect(around.sockets).toHaveLength(2);
  });
});

describe("liveness", () => {
  const pings = () => around.socket.sent.filter((message) => (message as { type: string }).type === "ping").length;

  it("pings every 25 s, and reconnects when no answer comes within 5 s", () => {
    connect();
    vi.advanceTimersByTime(24_999);
    expect(pings()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(pings()).toBe(1);
    vi.advanceTimersByTime(4_999);
    expect(realtime.state).toBe("connected");
    vi.advanceTimersByTime(1);
    expect(realtime.state).toBe("reconnecting");
    expect(around.sockets).toHaveLength(2);
    expect(around.sockets[0]!.isClosed).toBe(true);
  });

  it("goes on after a pong", () => {
    connect();
    vi.advanceTimersByTime(25_000);
    around.socket.receive({ type: "pong" });
    vi.advanceTimersByTime(25_000);
    expect(pings()).toBe(2);
    expect(around.sockets).toHaveLength(1);
  });

  it("does not ping when the server spoke in the last 5 s", () => {
    connect();
    vi.advanceTimersByTime(21_000);
    around.socket.receive({ type: "plugins-changed", plugins: [] });
    vi.advanceTimersByTime(4_000);
    expect(pings()).toBe(0);
    vi.advanceTimersByTime(25_000);
    expect(pings()).toBe(1);
  });

  it("tells which thread somebody asks it to show", () => {
    const asked = vi.fn();
    realtime.onThreadOpen(asked);
    connect();
    around.socket.receive({ type: "thread-open", threadId: "t1", file: null, split: "left" });
    expect(asked.mock.calls).toEqual([[{ threadId: "t1", file: null }]]);
  });

  it("does not ping while hidden, and asks when it is seen again", () => {
    connect();
    around.setVisible(false);
    vi.advanceTimersByTime(600_000);
    expect(pings()).toBe(0);
    around.setVisible(true);
    expect(pings()).toBe(1);
    vi.advanceTimersByTime(5000);
    expect(around.sockets).toHaveLength(2);
  });
});

describe("what the server says", () => {
  it("shows that the window is out of date when another server answers, once", () => {
    const told = vi.fn();
    connect();
    realtime.subscribeState(told);
    around.socket.receive({ type: "hello", serverId: "s1", version: "1" });
    expect(realtime.updateAvailable).toBe(false);
    around.socket.receive({ type: "hello", serverId: "s2", version: "1" });
    expect(realtime.updateAvailable).toBe(true);
    around.socket.receive({ type: "hello", serverId: "s3", version: "2" });
    expect(told).toHaveBeenCalledOnce();
  });

  it("shows it for another version too", () => {
    connect();
    around.socket.drop();
    vi.advanceTimersByTime(1000);
    around.socket.open({ type: "hello", serverId: "s1", version: "2" });
    expect(realtime.updateAvailable).toBe(true);
  });

  it("hands signals to the handlers of that plugin and channel", () => {
    const mine = vi.fn();
    const others = vi.fn();
    const remove = realtime.onSignal("todo", "changed", mine);
    realtime.onSignal("todo", "other", others);
    realtime.onSignal("notes", "changed", others);
    connect();
    around.socket.receive({ type: "plugin-signal", pluginId: "todo", channel: "changed", payload: { n: 1 } });
    around.socket.receive({ type: "plugin-signal", pluginId: "todo", channel: "changed" });
    expect(mine.mock.calls).toEqual([[{ n: 1 }], [null]]);
    remove();
    around.socket.receive({ type: "plugin-signal", pluginId: "todo", channel: "changed", payload: 2 });
    expect(mine).toHaveBeenCalledTimes(2);
    expect(others).not.toHaveBeenCalled();
  });

  it("keeps a listener that throws from the others", () => {
    const heard = vi.fn();
    realtime.onSignal("todo", "c", () => {
      throw new Error("mine");
    });
    realtime.onSignal("todo", "c", heard);
    connect();
    around.socket.receive({ type: "plugin-signal", pluginId: "todo", channel: "c", payload: 1 });
    expect(heard).toHaveBeenCalledWith(1);
    expect(around.warn).toHaveBeenCalledOnce();
  });

  it("tells of each connect whether it is another one", () => {
    const connects: boolean[] = [];
    realtime.onConnected((isReconnect) => connects.push(isReconnect));
    connect();
    around.socket.drop();
    vi.advanceTimersByTime(1000);
    around.socket.open();
    expect(connects).toEqual([false, true]);
  });

  it("ignores what it does not know", () => {
    const changed = vi.fn();
    realtime.onPluginsChanged(changed);
    connect();
    for (const message of [
      { type: "thread-open" },
      "no json",
      "null",
      "[]",
      '"text"',
      { type: "later" },
      { type: "plugins-changed" },
      { type: "changed" },
    ]) {
      around.socket.receive(message);
    }
    around.socket.onmessage?.({ data: new ArrayBuffer(2) });
    expect(changed).not.toHaveBeenCalled();
    expect(around.warn).not.toHaveBeenCalled();
    expect(realtime.state).toBe("connected");
  });
});

describe("watching", () => {
  const target = { kind: "thread-detail", threadId: "t1" } as const;

  it("subscribes a target once for all who watch it, and ends that with the last of them", () => {
    connect();
    const first = realtime.watch(target, () => undefined);
    const second = realtime.watch({ ...target }, () => undefined);
    expect(around.socket.sent).toEqual([{ type: "subscribe", target }]);
    first();
    first();
    expect(around.socket.sent).toHaveLength(1);
    second();
    expect(around.socket.sent.at(-1)).toEqual({ type: "unsubscribe", target });
  });

  it("subscribes everything again on every open, before anybody hears of the connect", () => {
    realtime.watch(target, () => undefined);
    realtime.watch({ kind: "system" }, () => undefined);
    const subscribed: number[] = [];
    realtime.onConnected(() => subscribed.push(around.socket.sent.length));
    connect();
    around.socket.drop();
    realtime.watch({ kind: "thread-list" }, () => undefined);
    vi.advanceTimersByTime(1000);
    around.socket.open();
    expect(subscribed).toEqual([2, 3]);
    expect(around.socket.sent).toEqual([
      { type: "subscribe", target },
      { type: "subscribe", target: { kind: "system" } },
      { type: "subscribe", target: { kind: "thread-list" } },
    ]);
  });

  it("hands a change to those whose target it is about", () => {
    const heard: string[] = [];
    const watch = (name: string, given: Parameters<Realtime["watch"]>[0]) => realtime.watch(given, () => heard.push(name));
    watch("t1", target);
    watch("t2", { kind: "thread-detail", threadId: "t2" });
    watch("threads", { kind: "thread-list" });
    watch("hosts", { kind: "host-list" });
    watch("system", { kind: "system" });
    connect();
    around.socket.receive({ type: "changed", entity: "thread", id: "t1", changes: ["title-changed"] });
    expect(heard).toEqual(["t1", "threads"]);
    around.socket.receive({ type: "changed", entity: "system", changes: ["config-changed"] });
    around.socket.receive({ type: "changed", entity: "comet", id: "t1", changes: ["x"] });
    expect(heard).toEqual(["t1", "threads", "system"]);
  });
});
