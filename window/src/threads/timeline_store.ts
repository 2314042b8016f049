import type { Timeline, TimelineCursor, TimelineRow } from "#sdk/records.js";

import type { Realtime } from "@/api/realtime";
import type { Query } from "@/api/http";
import type { GrowingText } from "@/lib/growing_text";
import { createJoiner } from "@/lib/join";
import { frameOf } from "./stream_frame";
import { type RowChanges, TimelineRows } from "./timeline_rows";

/** Milliseconds that join fetches of what changed, and the longest wait. */
const kFetchJoin = { waitMs: 50, maxMs: 200 };
/** Milliseconds until a fetch that failed is tried again, doubled each time up to the last value. */
const kRetryMs = 1000;
const kMaxRetryMs = 30_000;

/** Turn requests of a page while a message is looked for, the most that the service gives, and pages until it is given up. */
const kSearchedSegments = 200;
const kMaxSearchedPages = 50;

/** What stands around the rows. */
export type TimelineState = Pick<Timeline, "goal" | "pendingTodos" | "activeThinking" | "contextWindowUsage" | "modelFallback">;

export interface TimelineSnapshot {
  readonly status: "loading" | "ready" | "error";
  /** Why the last fetch failed; what was there before stays. */
  readonly error: unknown;
  readonly order: readonly string[];
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly state: TimelineState | null;
}

export interface TimelineDeps {
  /** `GET /threads/:threadId/timeline`. */
  fetch(query: Query, signal: AbortSignal): Promise<Timeline>;
  realtime: Pick<Realtime, "watch" | "onConnected">;
}

/** The timeline of one thread as long as somebody follows it: rows, what streams, and what was missed fetched again. */
export class TimelineStore {
  readonly #threadId: string;
  readonly #deps: TimelineDeps;
  readonly #rows = new TimelineRows();
  readonly #listeners = new Set<() => void>();
  readonly #rowListeners = new Map<string, Set<() => void>>();
  readonly #versions = new Map<string, number>();
  readonly #refetch = createJoiner(() => void this.#fetch(), kFetchJoin);
  #snapshot: TimelineSnapshot = { status: "loading", error: null, order: [], hasOlder: false, isLoadingOlder: false, state: null };
  #followers = 0;
  #stop: (() => void)[] = [];
  #running: AbortController | null = null;
  #isWanted = false;
  #older: Promise<boolean> | null = null;
  #isResetWanted = true;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = kRetryMs;

  constructor(threadId: string, deps: TimelineDeps) {
    this.#threadId = threadId;
    this.#deps = deps;
  }

  readonly snapshot = (): TimelineSnapshot => this.#snapshot;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  row(id: string): TimelineRow | undefined {
    return this.#rows.row(id);
  }

  text(id: string): GrowingText | undefined {
    return this.#rows.text(id);
  }

  /** The rows of the same turn request that come after one. */
  restOfSegment(id: string): TimelineRow[] {
    return this.#rows.restOfSegment(id);
  }

  /** The row of the finished turn that ends with this row. */
  turnEndedBy(id: string): (TimelineRow & { kind: "turn" }) | null {
    return this.#rows.turnEndedBy(id);
  }

  /** The row of the turn that the last request led to; null while that is not over. */
  lastTurn(): (TimelineRow & { kind: "turn" }) | null {
    return this.#rows.lastTurn();
  }

  /** What is done now before the agent begins; null when nothing is. */
  stepUnderWay(): string | null {
    return this.#rows.stepUnderWay();
  }

  /** Where the next turn request after a row begins; null when there is none. */
  nextRequest(id: string): TimelineCursor | null {
    return this.#rows.nextRequest(id);
  }

  isStreaming(id: string): boolean {
    return this.#rows.isStreaming(id);
  }

  /** Another number after each change of the row, its text included. */
  version(id: string): number {
    return this.#versions.get(id) ?? 0;
  }

  subscribeRow(id: string, listener: () => void): () => void {
    const all = this.#rowListeners.get(id) ?? new Set();
    this.#rowListeners.set(id, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) {
        this.#rowListeners.delete(id);
      }
    };
  }

  /** Fetches and watches until the returned function is called; however many follow, once. */
  follow(): () => void {
    this.#followers += 1;
    if (this.#followers === 1) {
      this.#start();
    }
    let isFollowing = true;
    return () => {
      if (isFollowing) {
        isFollowing = false;
        this.#followers -= 1;
        if (this.#followers === 0) {
          this.#end();
        }
      }
    };
  }

  retry(): void {
    this.#retryMs = kRetryMs;
    void this.#fetch();
  }

  /** False when it failed, which the snapshot tells. */
  loadOlder(more: Query = {}): Promise<boolean> {
    this.#older ??= this.#fetchOlder(more).finally(() => (this.#older = null));
    return this.#older;
  }

  /**
   * The row of a message by an event of it, with all rows after it: a finished turn's where that folds the message, null where it is gone.
   * `onOlder` is called once the message is not among the latest.
   */
  async find(seq: number, signal: AbortSignal, onOlder: () => void): Promise<TimelineRow | null> {
    await this.#whenReady(signal);
    for (let pages = 0; !signal.aborted; pages += 1) {
      const row = this.#rows.rowAt(seq);
      const cursor = this.#rows.olderCursor;
      if (row !== null || cursor === null || cursor.anchorSeq <= seq || pages === kMaxSearchedPages) {
        return row;
      }
      onOlder();
      if (!(await this.loadOlder({ segmentLimit: kSearchedSegments }))) {
        return null;
      }
    }
    return null;
  }

  #whenReady(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.#snapshot.status === "ready" || signal.aborted) {
          stop();
          signal.removeEventListener("abort", check);
          resolve();
        }
      };
      const stop = this.subscribe(check);
      signal.addEventListener("abort", check);
      check();
    });
  }

  async #fetchOlder(more: Query): Promise<boolean> {
    const cursor = this.#rows.olderCursor;
    if (cursor === null) {
      return true;
    }
    this.#set({ isLoadingOlder: true });
    try {
      this.#changed(this.#rows.prepend(await this.#deps.fetch({ ...more, ...olderQuery(cursor) }, AbortSignal.any([])), cursor));
      return true;
    } catch (error) {
      this.#set({ error });
      return false;
    } finally {
      this.#set({ isLoadingOlder: false, hasOlder: this.#rows.olderCursor !== null });
    }
  }

  #start(): void {
    this.#stop = [
      this.#deps.realtime.watch({ kind: "thread-detail", threadId: this.#threadId }, ({ changes, metadata }) => {
        if (changes.includes("history-rewritten")) {
          this.#isResetWanted = true;
          this.#refetch();
        } else if (changes.includes("events-appended")) {
          const frame = frameOf(metadata);
          if (frame === undefined) {
            this.#refetch();
          } else {
            this.#changed(this.#rows.frame(frame));
          }
        }
      }),
      // Nothing is replayed.
      this.#deps.realtime.onConnected(() => this.#refetch()),
    ];
    void this.#fetch();
  }

  #end(): void {
    this.#stop.forEach((stop) => stop());
    this.#stop = [];
    this.#refetch.cancel();
    clearTimeout(this.#retry);
    this.#running?.abort();
  }

  /** One at a time, so that answers cannot overtake each other; what is asked for meanwhile follows. */
  async #fetch(): Promise<void> {
    this.#isWanted = true;
    if (this.#running !== null || this.#followers === 0) {
      return;
    }
    clearTimeout(this.#retry);
    const controller = (this.#running = new AbortController());
    try {
      while (this.#isWanted && !controller.signal.aborted) {
        this.#isWanted = false;
        await this.#fetchOnce(controller.signal);
      }
      this.#retryMs = kRetryMs;
    } catch (error) {
      if (!controller.signal.aborted) {
        this.#set({ error, status: this.#snapshot.status === "ready" ? "ready" : "error" });
        this.#retry = setTimeout(() => void this.#fetch(), this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, kMaxRetryMs);
      }
    } finally {
      this.#running = null;
      // Somebody follows again who came while the last fetch was given up.
      if (controller.signal.aborted && this.#followers > 0) {
        void this.#fetch();
      }
    }
  }

  async #fetchOnce(signal: AbortSignal): Promise<void> {
    if (!this.#isResetWanted) {
      const page = await this.#deps.fetch({ afterSequence: this.#rows.maxSeq }, signal);
      signal.throwIfAborted();
      const changes = this.#isResetWanted ? null : this.#rows.update(page);
      if (changes !== null) {
        this.#accept(page, changes);
        return;
      }
    }
    this.#isResetWanted = false;
    try {
      const page = await this.#deps.fetch({}, signal);
      signal.throwIfAborted();
      this.#accept(page, this.#rows.reset(page));
    } catch (failure) {
      this.#isResetWanted = true;
      throw failure;
    }
  }

  #accept(page: Timeline, changes: RowChanges): void {
    const { goal, pendingTodos, activeThinking, contextWindowUsage, modelFallback } = page;
    const state = {
      goal,
      pendingTodos,
      activeThinking,
      modelFallback,
      ...(contextWindowUsage === undefined ? {} : { contextWindowUsage }),
    };
    this.#set({ status: "ready", error: null, hasOlder: this.#rows.olderCursor !== null, state });
    this.#changed(changes);
  }

  #changed({ rows, isOrderChanged, needsFetch }: RowChanges): void {
    for (const id of rows) {
      this.#versions.set(id, this.version(id) + 1);
    }
    if (isOrderChanged) {
      this.#set({ order: this.#rows.order });
    }
    for (const id of rows) {
      this.#rowListeners.get(id)?.forEach((listener) => listener());
    }
    if (needsFetch) {
      this.#refetch();
    }
  }

  #set(change: Partial<TimelineSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    [...this.#listeners].forEach((listener) => listener());
  }
}

function olderQuery({ anchorSeq, anchorId }: TimelineCursor): Query {
  return { beforeAnchorSeq: anchorSeq, beforeAnchorId: anchorId };
}
