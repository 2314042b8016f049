import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { type HighlightAnswer, Highlighter, type HighlightJob, type HighlightWorker, kMaxColouringMs } from "@/sdk_app/highlighter";

const kTheme = { name: "github-light-default", mode: "light" } as const;
const line = (content: string) => [{ content }];

class FakeWorker implements HighlightWorker {
  readonly jobs: HighlightJob[] = [];
  isEnded = false;
  #message: (event: { data: HighlightAnswer }) => void = () => undefined;
  #error: (event: { message: string }) => void = () => undefined;

  postMessage(job: HighlightJob): void {
    this.jobs.push(job);
  }
  addEventListener(type: string, listener: never): void {
    if (type === "message") {
      this.#message = listener;
    } else {
      this.#error = listener;
    }
  }
  terminate(): void {
    this.isEnded = true;
  }
  get last(): HighlightJob {
    return this.jobs.at(-1)!;
  }
  begin(): void {
    this.#message({ data: { job: this.last.job, kind: "begun" } });
  }
  answer(same: number, ...words: string[]): void {
    this.#message({ data: { job: this.last.job, kind: "done", same, lines: words.map(line) } });
  }
  say(kind: "unknown" | "failed"): void {
    this.#message({ data: { job: this.last.job, kind, message: "broken" } as HighlightAnswer });
  }
  fail(): void {
    this.#error({ message: "gone" });
  }
}

let workers: FakeWorker[] = [];
const created = (): FakeWorker => {
  const worker = new FakeWorker();
  workers.push(worker);
  return worker;
};

beforeEach(() => {
  workers = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

it("colours a text at a time, in the order of their questions", async () => {
  const highlighter = new Highlighter(created);
  const first = highlighter.colour(1, "a", "ts", kTheme);
  const second = highlighter.colour(2, "b", "ts", kTheme);
  expect(workers[0]!.jobs).toMatchObject([{ text: 1, content: "a", isNew: true }]);
  workers[0]!.answer(0, "a");
  expect(await first).toEqual([line("a")]);
  expect(workers[0]!.last).toMatchObject({ text: 2, content: "b" });
  workers[0]!.answer(0, "b");
  expect(await second).toEqual([line("b")]);
  expect(workers).toHaveLength(1);
});

it("asks for what was added to a text, once for all that waits", async () => {
  const highlighter = new Highlighter(created);
  const first = highlighter.colour(1, "a\n", "ts", kTheme);
  const skipped = highlighter.colour(1, "a\nb", "ts", kTheme);
  const last = highlighter.colour(1, "a\nbc", "ts", kTheme);
  expect(await skipped).toBeNull();
  workers[0]!.answer(0, "a", "");
  const [a] = (await first)!;
  expect(workers[0]!.jobs).toHaveLength(2);
  expect(workers[0]!.last).toMatchObject({ content: "a\nbc", isNew: false });
  workers[0]!.answer(1, "bc");
  const lines = (await last)!;
  expect(lines).toEqual([line("a"), line("bc")]);
  expect(lines[0]).toBe(a);
});

it("begins anew with a text that was forgotten", async () => {
  const highlighter = new Highlighter(created);
  const first = highlighter.colour(1, "a", "ts", kTheme);
  workers[0]!.answer(0, "a");
  await first;
  highlighter.forget(1);
  void highlighter.colour(1, "a", "ts", kTheme);
  expect(workers[0]!.last.isNew).toBe(true);
});

it("gives up what takes too long, with its worker, and goes on with the others", async () => {
  const highlighter = new Highlighter(created);
  const slow = highlighter.colour(1, "slow", "ts", kTheme);
  const other = highlighter.colour(2, "other", "ts", kTheme);
  vi.advanceTimersByTime(kMaxColouringMs * 2);
  expect(workers[0]!.isEnded, "what it waits for is not its work").toBe(false);
  workers[0]!.begin();
  vi.advanceTimersByTime(kMaxColouringMs - 1);
  expect(workers[0]!.isEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await slow).toBeNull();
  expect(workers[0]!.isEnded).toBe(true);
  workers[1]!.answer(0, "other");
  expect(await other).toEqual([line("other")]);
  // More of it is not tried, something else is.
  expect(await highlighter.colour(1, "slower", "ts", kTheme)).toBeNull();
  expect(workers[1]!.jobs).toHaveLength(1);
  const quick = highlighter.colour(1, "quick", "ts", kTheme);
  workers[1]!.answer(0, "quick");
  expect(await quick).toEqual([line("quick")]);
});

it("ends what is slow and shown no more, and lets what is quick go on", async () => {
  const highlighter = new Highlighter(created);
  const slow = highlighter.colour(1, "slow", "ts", kTheme);
  const other = highlighter.colour(2, "other", "ts", kTheme);
  workers[0]!.begin();
  vi.advanceTimersByTime(1_500);
  highlighter.forget(1);
  expect(await slow).toBeNull();
  expect(workers[0]!.isEnded).toBe(true);
  workers[1]!.begin();
  highlighter.forget(2);
  expect(workers[1]!.isEnded).toBe(false);
  workers[1]!.answer(0, "other");
  expect(await other).toEqual([line("other")]);
  void highlighter.colour(2, "other", "ts", kTheme);
  expect(workers[1]!.last.isNew).toBe(true);
});

it("gives what is shown no more a second, however late it began", async () => {
  const highlighter = new Highlighter(created);
  const early = highlighter.colour(1, "early", "ts", kTheme);
  const late = highlighter.colour(2, "late", "ts", kTheme);
  const shown = highlighter.colour(3, "shown", "ts", kTheme);
  workers[0]!.begin();
  vi.advanceTimersByTime(400);
  highlighter.forget(1);
  vi.advanceTimersByTime(599);
  expect(workers[0]!.isEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await early).toBeNull();
  expect(workers[0]!.isEnded).toBe(true);
  highlighter.forget(2);
  vi.advanceTimersByTime(5_000);
  expect(workers[1]!.isEnded, "what it waits for is not its work").toBe(false);
  workers[1]!.begin();
  vi.advanceTimersByTime(1_000);
  expect(await late).toBeNull();
  workers[2]!.answer(0, "shown");
  expect(await shown).toEqual([line("shown")]);
});

it("has no colours for a language that is not known, and for what failed", async () => {
  const complaint = vi.spyOn(console, "error").mockReturnValue();
  const highlighter = new Highlighter(created);
  const unknown = highlighter.colour(1, "a", "klingon", kTheme);
  workers[0]!.say("unknown");
  expect(await unknown).toBeNull();
  expect(complaint).not.toHaveBeenCalled();
  const failed = highlighter.colour(1, "a", "ts", kTheme);
  workers[0]!.say("failed");
  expect(await failed).toBeNull();
  expect(complaint).toHaveBeenCalledOnce();
});

it("begins another worker after one that has failed", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const highlighter = new Highlighter(created);
  const first = highlighter.colour(1, "a", "ts", kTheme);
  workers[0]!.fail();
  expect(await first).toBeNull();
  const again = highlighter.colour(1, "a", "ts", kTheme);
  workers[1]!.answer(0, "a");
  expect(await again).toEqual([line("a")]);
});

it("has no colours where no worker can be begun", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const highlighter = new Highlighter(() => {
    throw new Error("forbidden");
  });
  expect(await highlighter.colour(1, "a", "ts", kTheme)).toBeNull();
  expect(await highlighter.colour(2, "b", "ts", kTheme)).toBeNull();
});
