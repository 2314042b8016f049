import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Timeline } from "#sdk/records.js";
import type { ChangedMessage } from "@/api/realtime";
import type { StreamDelta, StreamFrame } from "@/threads/stream_frame";
import { streamedMember } from "@/threads/timeline_rows";
import { TimelineStore } from "@/threads/timeline_store";

import { FakeTimeline, seeded } from "./fake_timeline";

/** The service and what is between it and the window. */
class Wire {
  readonly service = new FakeTimeline();
  readonly queries: Record<string, unknown>[] = [];
  readonly answers: (() => void)[] = [];
  readonly frames: StreamFrame[] = [];
  #listener: ((message: ChangedMessage) => void) | null = null;
  #onConnected: ((isReconnect: boolean) => void) | null = null;
  /** Whether an answer holds what is there when it is asked for, or when it arrives. */
  isSampledEarly = (): boolean => true;
  failures = 0;
  readonly store = new TimelineStore("t1", {
    fetch: (query) => {
      this.queries.push(query);
      const early = this.isSampledEarly() ? this.service.answer(query) : null;
      return new Promise<Timeline>((resolve, reject) =>
        this.answers.push(() => {
          if (this.failures > 0) {
            this.failures -= 1;
            reject(new Error("away"));
          } else {
            resolve(early ?? this.service.answer(query));
          }
        }),
      );
    },
    realtime: {
      watch: (_target, listener) => {
        this.#listener = listener;
        return () => (this.#listener = null);
      },
      onConnected: (listener) => {
        this.#onConnected = listener;
        return () => (this.#onConnected = null);
      },
    },
  });

  get isWatched(): boolean {
    return this.#listener !== null;
  }

  tell(frame: StreamFrame): void {
    this.#listener?.({ entity: "thread", id: "t1", changes: ["events-appended"], metadata: structuredClone(frame) as never });
  }

  change(...changes: string[]): void {
    this.#listener?.({ entity: "thread", id: "t1", changes });
  }

  reconnect(): void {
    this.frames.length = 0;
    this.#onConnected?.(true);
  }

  /** Until nothing is asked for any more. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 2;) {
      await vi.advanceTimersByTimeAsync(1000);
      quiet = this.answers.length === 0 ? quiet + 1 : 0;
      this.answers.splice(0).forEach((answer) => answer());
      await vi.advanceTimersByTimeAsync(0);
    }
  }

  shown() {
    return this.store.snapshot().order.map((id) => {
      const row = this.store.row(id)!;
      return { id, end: row.sourceSeqEnd, text: String(this.store.text(id) ?? streamedMember(row)) };
    });
  }

  expected() {
    return this.service.rows.map((row) => ({ id: row.id, end: row.sourceSeqEnd, text: streamedMember(row) }));
  }
}

let wire: Wire;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  wire = new Wire();
  wire.service.ask();
  stop = () => undefined;
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const begin = async () => {
  stop = wire.store.follow();
  await wire.settle();
};

describe("TimelineStore", () => {
  it("puts what streams behind what was fetched, without asking again", async () => {
    wire.service.start("text");
    wire.service.write(wire.service.openRows[0]!, "Hel");
    wire.service.frame();
    await begin();
    const asked = wire.queries.length;
    wire.service.write(wire.service.openRows[0]!, "lo");
    wire.tell(wire.service.frame());
    expect(wire.shown()).toEqual(wire.expected());
    await wire.settle();
    expect(wire.queries.length).toBe(asked);
  });

  it("asks for what came after the last known event, and keeps the object of a text that only grew", async () => {
    wire.service.start("text");
    await begin();
    const [, id] = wire.store.snapshot().order;
    const text = wire.store.text(id!);
    wire.service.write(wire.service.openRows[0]!, "Hello");
    wire.service.complete(wire.service.openRows[0]!, "Hello.");
    wire.tell({ fromSeq: 3, throughSeq: 3, deltas: [] });
    await wire.settle();
    expect(wire.queries.at(-1)).toEqual({ afterSequence: 2 });
    expect(String(text)).toBe("Hello.");
    expect(wire.store.text(id!)).toBe(text);
  });

  it("holds text whose item it does not know until it was asked for", async () => {
    await begin();
    wire.service.start("output");
    wire.service.write(wire.service.openRows[0]!, "one ");
    wire.isSampledEarly = () => true;
    const first = wire.service.frame();
    wire.tell(first);
    await vi.advanceTimersByTimeAsync(500);
    wire.service.write(wire.service.openRows[0]!, "two");
    wire.tell(wire.service.frame());
    await wire.settle();
    expect(wire.shown()).toEqual(wire.expected());
  });

  it("takes nothing away when an answer is older than what has streamed since", async () => {
    wire.service.start("text");
    await begin();
    wire.reconnect();
    await vi.advanceTimersByTimeAsync(0);
    wire.service.write(wire.service.openRows[0]!, "streamed");
    wire.tell(wire.service.frame());
    wire.answers.splice(0).forEach((answer) => answer());
    await vi.advanceTimersByTimeAsync(0);
    expect(wire.shown()).toEqual(wire.expected());
  });

  it("leaves what comes late for an item that has ended", async () => {
    wire.service.start("text");
    await begin();
    wire.service.write(wire.service.openRows[0]!, "a long draft");
    const late = wire.service.frame();
    wire.service.complete(wire.service.openRows[0]!, "short");
    wire.tell(wire.service.frame());
    await wire.settle();
    wire.tell(late);
    await wire.settle();
    expect(wire.shown()).toEqual(wire.expected());
  });

  it("shows older pages, and does not lose them when the latest page moves on", async () => {
    for (let turn = 0; turn < 7; turn += 1) {
      wire.service.start("output");
      wire.service.start("text");
      wire.service.ask();
    }
    await begin();
    expect(wire.store.snapshot().hasOlder).toBe(true);
    while (wire.store.snapshot().hasOlder) {
      void wire.store.loadOlder();
      await wire.settle();
    }
    expect(wire.shown()).toEqual(wire.expected());
    wire.service.start("text");
    wire.service.ask();
    wire.tell(wire.service.frame());
    await wire.settle();
    expect(wire.shown()).toEqual(wire.expected());
  });

  it("starts over when more was missed than a page holds, and when history was written anew", async () => {
    await begin();
    for (let turn = 0; turn < 6; turn += 1) {
      wire.service.start("text");
      wire.service.ask();
    }
    wire.reconnect();
    await wire.settle();
    expect(wire.shown()).toEqual(wire.expected().slice(-wire.shown().length));
    expect(wire.store.snapshot().hasOlder).toBe(true);
    wire.change("history-rewritten");
    await wire.settle();
    expect(wire.queries.at(-1)).toEqual({});
  });

  it("says what failed, tries again by itself, and keeps what was there", async () => {
    wire.failures = 1;
    stop = wire.store.follow();
    await vi.advanceTimersByTimeAsync(0);
    wire.answers.splice(0).forEach((answer) => answer());
    await vi.advanceTimersByTimeAsync(0);
    expect(wire.store.snapshot()).toMatchObject({ status: "error", error: new Error("away") });
    await wire.settle();
    expect(wire.store.snapshot()).toMatchObject({ status: "ready", error: null });
    wire.failures = 1;
    wire.service.start("text");
    wire.tell(wire.service.frame());
    await vi.advanceTimersByTimeAsync(300);
    wire.answers.splice(0).forEach((answer) => answer());
    await vi.advanceTimersByTimeAsync(0);
    expect(wire.store.snapshot().status).toBe("ready");
    await wire.settle();
    expect(wire.shown()).toEqual(wire.expected());
  });

  it("tells only those who follow a row that changed", async () => {
    wire.service.start("text");
    wire.service.start("output");
    await begin();
    const [, text, output] = wire.store.snapshot().order;
    const told = { text: vi.fn(), output: vi.fn(), list: vi.fn() };
    wire.store.subscribeRow(text!, told.text);
    wire.store.subscribeRow(output!, told.output);
    wire.store.subscribe(told.list);
    wire.service.write(wire.service.openRows[0]!, "x");
    wire.tell(wire.service.frame());
    expect(told.text).toHaveBeenCalledOnce();
    expect(told.output).not.toHaveBeenCalled();
    expect(told.list).not.toHaveBeenCalled();
  });

  it("stops watching with the last who follows", async () => {
    await begin();
    const second = wire.store.follow();
    stop();
    expect(wire.isWatched).toBe(true);
    second();
    expect(wire.isWatched).toBe(false);
  });
});

/** Cuts a delta in up to three pieces. */
function cutWith(random: () => number) {
  return ({ itemId, field, offset, text }: StreamDelta): StreamDelta[] => {
    const cuts = [0, Math.floor(random() * (text.length + 1)), text.length].sort((a, b) => a - b);
    return cuts
      .slice(1)
      .map((end, index) => ({ itemId, field, offset: offset + cuts[index]!, text: text.slice(cuts[index], end) }))
      .filter((delta) => delta.text !== "");
  };
}

async function step(random: () => number): Promise<void> {
  const { service, frames, answers, store } = wire;
  const choice = random();
  const open = service.openRows;
  const some = open[Math.floor(random() * open.length)];
  if (choice < 0.06) {
    service.ask();
  } else if (choice < 0.18) {
    service.start(random() < 0.6 ? "text" : "output");
  } else if (choice < 0.45 && some !== undefined) {
    service.write(some, "abcdefghij".slice(0, 1 + Math.floor(random() * 10)));
  } else if (choice < 0.52 && some !== undefined) {
    service.complete(some, random() < 0.3 ? "replaced" : undefined);
  } else if (choice < 0.7) {
    frames.push(service.frame(cutWith(random)));
  } else if (choice < 0.86 && frames.length > 0) {
    // In order, out of order, twice, or never.
    const index = random() < 0.8 ? 0 : Math.floor(random() * frames.length);
    const [frame] = random() < 0.15 ? [frames[index]] : frames.splice(index, 1);
    if (random() < 0.9) {
      wire.tell(frame!);
    }
  } else if (choice < 0.93) {
    answers.shift()?.();
    await vi.advanceTimersByTimeAsync(Math.floor(random() * 120));
  } else if (choice < 0.96) {
    wire.reconnect();
  } else if (choice < 0.98) {
    void store.loadOlder();
  } else {
    wire.failures = 1;
  }
}

describe("any split, order, delay, duplicate, loss and reconnection of frames", () => {
  it.each(Array.from({ length: 120 }, (_, seed) => seed))("gives the rows of the service (seed %i)", async (seed) => {
    const random = seeded(seed);
    wire.isSampledEarly = () => random() < 0.5;
    stop = wire.store.follow();
    for (let count = 0; count < 250; count += 1) {
      await step(random);
    }
    wire.failures = 0;
    wire.reconnect();
    await wire.settle();
    for (let pages = 0; wire.store.snapshot().hasOlder && pages < 50; pages += 1) {
      void wire.store.loadOlder();
      await wire.settle();
    }
    expect(wire.shown()).toEqual(wire.expected());
  });
});
