import { sendInput } from "@/api/terminals";
import { encodeBase64 } from "@/lib/base64";
import { formatBytes } from "@/lib/format";

/** Bytes of one message. */
const kMessage = 32 * 1024;
/** Bytes that wait at most: a larger text is not for a terminal. */
const kMaxWaiting = 1024 * 1024;

export interface InputQueue {
  /** Text, or bytes as a terminal's mouse reports them. What does not fit is refused as a whole. */
  push(input: string | Uint8Array): void;
  /** What is held goes now, and what follows at once. */
  release(): void;
  /** Forgets what is held. */
  drop(): void;
}

interface Options {
  onSent(): void;
  /** What waited is dropped: half of a command, typed later, is worse than none. */
  onFailure(failure: unknown): void;
  /** Keeps what is typed until it is released. */
  isHeld?: boolean;
  send?: (id: string, dataBase64: string) => Promise<void>;
}

/** Sends what is typed in its order, one message at a time; what is typed while one is under way goes together with the next. */
export function createInputQueue(terminalId: string, { onSent, onFailure, isHeld = false, send = sendInput }: Options): InputQueue {
  const encoder = new TextEncoder();
  let waiting = new Uint8Array(0);
  let isHolding = isHeld;
  let isSending = false;

  async function pump(): Promise<void> {
    isSending = true;
    try {
      while (waiting.length > 0) {
        const message = waiting.subarray(0, kMessage);
        waiting = waiting.slice(message.length);
        await send(terminalId, encodeBase64(message));
        onSent();
      }
    } catch (failure) {
      waiting = new Uint8Array(0);
      onFailure(failure);
    } finally {
      isSending = false;
    }
  }

  function go(): void {
    if (!isHolding && !isSending) {
      void pump();
    }
  }

  return {
    push(input) {
      const bytes = typeof input === "string" ? encoder.encode(input) : input;
      const length = waiting.length + bytes.length;
      if (length > kMaxWaiting) {
        onFailure(new Error(`A terminal takes ${formatBytes(kMaxWaiting)} at once; this were ${formatBytes(length)}. Use a file instead.`));
        return;
      }
      const joined = new Uint8Array(length);
      joined.set(waiting);
      joined.set(bytes, waiting.length);
      waiting = joined;
      go();
    },
    release() {
      isHolding = false;
      go();
    },
    drop() {
      if (isHolding) {
        waiting = new Uint8Array(0);
      }
    },
  };
}
