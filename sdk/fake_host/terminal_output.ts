/** What a terminal has written, as far as the service keeps it: `svc/hostprotocol/terminal_ring.h`, and the query of a route. */
import { invalidInput } from "./body";

/** L:terminal-ring; beside its bytes a chunk counts so many more. */
const kRing = 1024 * 1024;
const kOverhead = 64;
/** lim.logWait, in milliseconds. */
const kLogWait = 25_000;

export class TerminalOutput {
  readonly #chunks: Buffer[] = [];
  #next = 0;
  #held = 0;

  append(bytes: Buffer): void {
    this.#next += 1;
    this.#held += bytes.length + kOverhead;
    this.#chunks.push(bytes);
    while (this.#held > kRing && this.#chunks.length > 1) {
      this.#held -= this.#chunks.shift()!.length + kOverhead;
    }
  }

  answer(query: Readonly<Record<string, unknown>>): object {
    const [since = 0, tailBytes, limitChunks, waitMs = 0] = ["sinceSeq", "tailBytes", "limitChunks", "waitMs"].map((name) =>
      wholeNumber(name, query[name]),
    );
    if (waitMs > kLogWait) {
      throw invalidInput(`the request is not valid: waitMs: at most ${kLogWait} (limit logWait), got ${waitMs}`);
    }
    const first = this.#next - this.#chunks.length;
    let begin = Math.max(since, first);
    let cut = 0; // of the first chunk, what is before the tail
    if (tailBytes !== undefined) {
      let bytes = 0;
      let at = Math.max(begin, this.#next);
      for (; at > begin && bytes < tailBytes; --at) {
        bytes += this.#chunks[at - 1 - first]!.length;
      }
      begin = at;
      cut = Math.max(0, bytes - tailBytes);
    }
    const end = Math.min(Math.max(begin, this.#next), begin + (limitChunks ?? Infinity));
    const chunks = this.#chunks.slice(begin - first, end - first).map((bytes, index) => ({
      seq: begin + index,
      dataBase64: bytes.subarray(index === 0 ? cut : 0).toString("base64"),
    }));
    return { ok: true, chunks, nextSeq: end, truncated: since < first };
  }
}

function wholeNumber(name: string, value: unknown): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!/^\d+$/.test(String(value))) {
    throw invalidInput(`the request is not valid: ${name}: Expected a whole number from 0`);
  }
  return Number(value);
}
