import { getHeapStatistics } from "node:v8";

import type { PluginApi } from "../../plugins/js/plugin_api";

/** One request whose bytes wait in the plugin's memory. */
export interface Holder {
  /** Names the request in messages: "GET /download". */
  readonly route: string;
  /** Ends what is sent to a client that does not take it. Without it nothing of this holder can be given up. */
  readonly cut?: () => void;
  /** When the client was last given bytes that it has not taken yet; undefined while it keeps up. */
  waitsSince?: number;
}

const now = performance.now.bind(performance);
/** A client that has taken nothing for so many milliseconds makes room for others that begin. */
const kPatience = 5000;
/** One that keeps up takes a piece well within so many, however much another stream holds. */
const kKeepsUp = 500;

/**
 * What bodies of requests and streamed responses take of the plugin's memory. Clients that read slowly, or send much at once, would
 * otherwise end the plugin: its Buffers have a limit of twice its heap, of which this is half.
 */
export class HeldBytes {
  readonly #api: PluginApi;
  readonly #held = new Map<Holder, number>();
  #total = 0;
  #limit: number | undefined;

  constructor(api: PluginApi, limit?: number) {
    this.#api = api;
    this.#limit = limit;
  }

  get limit(): number {
    return (this.#limit ??= getHeapStatistics().heap_size_limit);
  }
  get total(): number {
    return this.#total;
  }

  /** False, and nothing is counted, when it would be too much. */
  tryHold(holder: Holder, bytes: number): boolean {
    if (this.#total + bytes > this.limit) {
      return false;
    }
    this.#set(holder, (this.#held.get(holder) ?? 0) + bytes);
    return true;
  }

  /**
   * For a stream that begins. Clients that have taken nothing for a while are cut off to make room; false, and nothing is counted, when
   * that is not enough. One that is alone has room.
   */
  admit(holder: Holder, bytes: number): boolean {
    this.hold(holder, bytes, kPatience);
    if (this.#total <= this.limit || this.#total === bytes) {
      return true;
    }
    this.release(holder);
    return false;
  }

  /** Replaces what the holder holds. Over the limit, those clients are cut off that have waited longest, and as long as `patience`. */
  hold(holder: Holder, bytes: number, patience = kKeepsUp): void {
    this.#set(holder, bytes);
    while (this.#total > this.limit) {
      const slowest = this.#slowest();
      const waited = now() - (slowest?.waitsSince ?? 0);
      if (slowest === undefined || waited < patience) {
        return;
      }
      const held = this.#total;
      this.release(slowest);
      this.#warn(
        `${slowest.route}: a client that reads slowly was cut off, it had taken nothing for ${Math.round(waited)} ms; ` +
          `streamed responses hold ${held} bytes of the plugin's memory, the limit is ${this.limit} bytes`,
      );
      slowest.cut?.();
    }
  }

  release(holder: Holder): void {
    this.#total -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }

  #set(holder: Holder, bytes: number): void {
    this.release(holder);
    this.#held.set(holder, bytes);
    this.#total += bytes;
  }

  #slowest(): Holder | undefined {
    let slowest: Holder | undefined;
    for (const holder of this.#held.keys()) {
      const since = holder.cut === undefined ? undefined : holder.waitsSince;
      if (since !== undefined && since < (slowest?.waitsSince ?? Infinity)) {
        slowest = holder;
      }
    }
    return slowest;
  }

  #warn(text: string): void {
    this.#api.svc.log?.warn(text);
  }
}
