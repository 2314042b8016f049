import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { TerminalOutput } from "@/api/terminals";
import { ApiError } from "@/lib/api_error";
import { type OutputStream, streamOutput } from "@/terminals/stream";

beforeEach(() => void vi.useFakeTimers());

let stream: OutputStream | undefined;
afterEach(() => {
  stream?.stop();
  stream = undefined;
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const chunk = (seq: number, text: string) => ({ seq, dataBase64: btoa(text) });

/** What is drawn, in order; writes are drawn at once unless `isHeld`. */
class Sink {
  drawn = "";
  sizes: number[] = [];
  held: (() => void)[] = [];
  isHeld = false;
  write(bytes: Uint8Array, done: () => void): void {
    this.drawn += new TextDecoder().decode(bytes);
    this.sizes.push(bytes.length);
    if (this.isHeld) {
      this.held.push(done);
    } else {
      done();
    }
  }
  markGap(isStart: boolean): void {
    this.drawn += isStart ? "[earlier]" : "[gap]";
  }
}

/** Answers in the order in which they are given, then nothing new. */
function reader(...answers: (Partial<TerminalOutput> | Error)[]) {
  let nextSeq = 0;
  const asked: (number | null)[] = [];
  const read = (_id: string, since: number | null): Promise<TerminalOutput> => {
    asked.push(since);
    const answer = answers.shift() ?? {};
    if (answer instanceof Error) {
      return Promise.reject(answer);
    }
    nextSeq = answer.nextSeq ?? nextSeq;
    return Promise.resolve({ chunks: [], truncated: false, ...answer, nextSeq });
  };
  return { read, asked };
}

const kRuns = () => false;

describe("streamOutput", () => {
  it("draws what is kept, and then only what is new", async () => {
    const sink = new Sink();
    const { read, asked } = reader(
      { chunks: [chunk(1, "a"), chunk(2, "b")], nextSeq: 3 },
      // What is there already may be answered again.
      { chunks: [chunk(2, "b"), chunk(3, "c")], nextSeq: 4 },
    );
    stream = streamOutput("t", sink, kRuns, read);
    await pass(30);
    expect(sink.drawn).toBe("abc");
    expect(asked).toEqual([null, 3]);
  });

  it("reads no more until what it has was drawn", async () => {
    const sink = new Sink();
    sink.isHeld = true;
    const { read, asked } = reader({ chunks: [chunk(1, "a")], nextSeq: 2 });
    stream = streamOutput("t", sink, kRuns, read);
    await pass(60_000);
    expect(asked).toEqual([null]);
    expect(stream.state.get().isAttached).toBe(false);
    sink.isHeld = false;
    sink.held.forEach((done) => done());
    await pass(50);
    expect(asked.slice(0, 2)).toEqual([null, 2]);
    expect(stream.state.get().isAttached).toBe(true);
  });

  it("draws a flood in pieces", async () => {
    const sink = new Sink();
    const { read } = reader({ chunks: [chunk(1, "x".repeat(150_000))], nextSeq: 2 });
    stream = streamOutput("t", sink, kRuns, read);
    await pass(1);
    expect(sink.drawn).toHaveLength(150_000);
    expect(Math.max(...sink.sizes)).toBeLessThanOrEqual(64 * 1024);
  });

  it("marks where output is missing, and counts only what was lost while it looked", async () => {
    const sink = new Sink();
    const { read } = reader(
      { chunks: [chunk(5, "a")], nextSeq: 6, truncated: true },
      // The ring has forgotten something, but nothing of what is asked for.
      { chunks: [chunk(6, "b")], nextSeq: 7, truncated: true },
      { chunks: [chunk(9, "c")], nextSeq: 10, truncated: true },
    );
    stream = streamOutput("t", sink, kRuns, read);
    await pass(80);
    expect(sink.drawn).toBe("[earlier]ab[gap]c");
    expect(stream.state.get().gaps).toBe(1);
  });

  it("says of a terminal of which nothing is kept that there was more", async () => {
    const sink = new Sink();
    const { read } = reader({ chunks: [], nextSeq: 1, truncated: true });
    stream = streamOutput("t", sink, kRuns, read);
    await pass(80);
    expect(sink.drawn).toBe("[earlier]");
    expect(stream.state.get().gaps).toBe(0);
  });

  it("asks less often while nothing comes, and at once when it is woken", async () => {
    const { read, asked } = reader();
    stream = streamOutput("t", new Sink(), kRuns, read);
    await pass(30_000);
    const quiet = asked.length;
    await pass(10_000);
    expect(asked.length - quiet).toBeLessThanOrEqual(10);
    const before = asked.length;
    stream.wake();
    await pass(0);
    expect(asked.length).toBe(before + 1);
  });

  it("asks again at once where answers are held back until there is output", async () => {
    let asked = 0;
    const read = async () => {
      asked += 1;
      await new Promise((later) => setTimeout(later, asked === 1 ? 0 : 25_000));
      return { chunks: [], nextSeq: 0, truncated: false };
    };
    stream = streamOutput("t", new Sink(), kRuns, read);
    await pass(100);
    expect(asked).toBe(2);
    await pass(25_000);
    expect(asked).toBe(3);
  });

  it("hardly asks about a terminal that has ended and was read to its end", async () => {
    const sink = new Sink();
    const { read, asked } = reader({ chunks: [chunk(0, "bye")], nextSeq: 1 });
    stream = streamOutput("t", sink, () => true, read);
    await pass(50_000);
    expect(sink.drawn).toBe("bye");
    expect(asked).toEqual([null, 1]);
  });

  it("goes on where it was after a failure, and says when there is nothing to read any more", async () => {
    const sink = new Sink();
    const refused = (status: number, code: string) => new ApiError("no", { status, code });
    const { read, asked } = reader(
      { chunks: [chunk(1, "a")], nextSeq: 2 },
      refused(0, "network_error"),
      { chunks: [chunk(2, "b")], nextSeq: 3 },
      refused(404, "not_found"),
    );
    stream = streamOutput("t", sink, kRuns, read);
    await pass(100);
    expect(stream.state.get().failure).toBeInstanceOf(ApiError);
    await pass(2000);
    expect(asked.slice(0, 3)).toEqual([null, 2, 2]);
    expect(sink.drawn).toBe("ab");
    await pass(100);
    expect(stream.state.get().isGone).toBe(true);
  });
});
