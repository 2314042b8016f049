/** `stream.duplexPair`, which Node has since 22.6: what is written to one side is read from the other. */
import type { Duplex, DuplexOptions } from "node:stream";

type Done = (error?: Error | null) => void;

export function makeDuplexPair({ Duplex: Base }: typeof import("node:stream")) {
  class Side extends Base {
    other: Side | undefined;
    /** Of a write that the other side has not read yet. */
    taken: Done | undefined;

    override _read(): void {
      const { taken } = this;
      this.taken = undefined;
      taken?.();
    }
    override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
      const other = this.other as Side;
      if (chunk.length === 0) {
        process.nextTick(done);
        return;
      }
      other.taken = done;
      other.push(chunk);
    }
    override _final(done: Done): void {
      const other = this.other as Side;
      other.on("end", done);
      other.push(null);
    }
  }

  return function duplexPair(options?: DuplexOptions): [Duplex, Duplex] {
    const first = new Side(options);
    const second = new Side(options);
    first.other = second;
    second.other = first;
    return [first, second];
  };
}
