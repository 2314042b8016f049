import { readOutput, type TerminalOutput } from "@/api/terminals";
import { ApiError } from "@/lib/api_error";
import { decodeBase64 } from "@/lib/base64";
import { startPolling } from "@/lib/polling";
import { createStore, type ReadableStore } from "@/lib/store";

/** Where a terminal is drawn. */
export interface OutputSink {
  /** Calls back when the bytes are drawn: until then nothing more is given. */
  write(bytes: Uint8Array, done: () => void): void;
  /** Says in the place where it happens that output is missing; at the start, what was written long ago. */
  markGap(isStart: boolean): void;
}

export interface StreamState {
  /** Whether what the terminal had written when it was opened here is on the screen. */
  isAttached: boolean;
  /** How often output was lost before it was read. */
  gaps: number;
  /** Why nothing can be read at the moment. */
  failure: unknown;
  /** The service does not know the terminal (any more). */
  isGone: boolean;
}

export interface OutputStream {
  readonly state: ReadableStore<StreamState>;
  /** Reads at once: something was typed, or the connection is back. */
  wake(): void;
  stop(): void;
}

/**
 * Milliseconds between readings: after output and after an answer that was held back until there is some, growing to that of a quiet
 * terminal where answers are not held back, and after a failure.
 */
const kBusyMs = 25;
const kQuietMs = 1000;
const kFailedMs = 2000;
/** Milliseconds between readings of a terminal that has ended and was read to its end: nobody expects more. */
const kEndedMs = 60_000;
const kGrowth = 1.4;
/** Bytes that are drawn in one go; the page can do something else between two. */
const kSlice = 64 * 1024;

type Read = (id: string, since: number | null, signal: AbortSignal) => Promise<TerminalOutput>;

/**
 * Reads what a terminal writes and hands it on in order and once. No faster than it is drawn: what a flood writes meanwhile stays with the
 * service, whose ring forgets the oldest, and the place where that shows is marked.
 */
export function streamOutput(terminalId: string, sink: OutputSink, isEnded: () => boolean, read: Read = readOutput): OutputStream {
  const state = createStore<StreamState>({ isAttached: false, gaps: 0, failure: null, isGone: false });
  let next: number | null = null;
  let delay = kBusyMs;

  async function draw(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let at = 0; at < bytes.length && !signal.aborted; at += kSlice) {
      await new Promise<void>((done) => sink.write(bytes.subarray(at, at + kSlice), done));
    }
  }

  async function take(answer: TerminalOutput, hasWaited: boolean, signal: AbortSignal): Promise<void> {
    const from = next;
    const chunks = answer.chunks.filter(({ seq }) => from === null || seq >= from);
    const first = chunks[0];
    // Of a terminal that ended before the server was started again, nothing is left.
    const start = first?.seq ?? answer.nextSeq;
    const hasGap = answer.truncated && (from === null || start > from);
    if (hasGap) {
      sink.markGap(from === null);
    }
    for (const { dataBase64 } of chunks) {
      await draw(decodeBase64(dataBase64), signal);
    }
    if (signal.aborted) {
      return;
    }
    next = answer.nextSeq;
    if (chunks.length > 0 || hasWaited) {
      delay = kBusyMs;
    } else {
      delay = isEnded() ? kEndedMs : Math.min(delay * kGrowth, kQuietMs);
    }
    const { gaps, ...now } = state.get();
    const isLost = hasGap && from !== null;
    if (isLost || !now.isAttached || now.failure !== null) {
      state.set({ isAttached: true, gaps: gaps + (isLost ? 1 : 0), failure: null, isGone: false });
    }
  }

  const polling = startPolling(
    async (signal) => {
      try {
        const asked = performance.now();
        const answer = await read(terminalId, next, signal);
        await take(answer, performance.now() - asked >= kQuietMs, signal);
      } catch (failure) {
        if (signal.aborted) {
          return;
        }
        delay = kFailedMs;
        const isGone = failure instanceof ApiError && failure.status === 404;
        state.update((now) => ({ ...now, failure, isGone }));
      }
    },
    () => delay,
  );
  return {
    state,
    wake() {
      delay = kBusyMs;
      polling.wake();
    },
    stop: polling.stop,
  };
}
