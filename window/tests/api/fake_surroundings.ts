import { vi } from "vitest";

import type { RealtimeDeps, RealtimeSocket } from "@/api/realtime_browser";

/** A socket whose other end is the test. */
export class FakeSocket implements RealtimeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  readonly sent: unknown[] = [];
  isClosed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  open(hello: object = { type: "hello", serverId: "s1", version: "1" }): void {
    this.onopen?.();
    this.receive(hello);
  }

  receive(message: unknown): void {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  drop(code = 1006, reason = ""): void {
    this.onclose?.({ code, reason });
  }
}

/** Time, page and network of a realtime client; time is that of vitest's fake timers. */
export class FakeSurroundings implements RealtimeDeps {
  readonly sockets: FakeSocket[] = [];
  readonly warn = vi.fn<(message: string, ...details: unknown[]) => void>();
  isPageVisible = true;
  randomValue = 0.5;
  canOpen = true;
  readonly #visibility = new Set<() => void>();
  readonly #online = new Set<() => void>();

  readonly now = () => Date.now();
  readonly setTimer = (run: () => void, ms: number) => setTimeout(run, ms);
  readonly clearTimer = (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>);
  readonly random = () => this.randomValue;
  readonly isVisible = () => this.isPageVisible;

  openSocket(): RealtimeSocket {
    if (!this.canOpen) {
      throw new Error("no sockets here");
    }
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket;
  }

  onVisibility(listener: () => void): () => void {
    this.#visibility.add(listener);
    return () => void this.#visibility.delete(listener);
  }

  onOnline(listener: () => void): () => void {
    this.#online.add(listener);
    return () => void this.#online.delete(listener);
  }

  setVisible(isVisible: boolean): void {
    this.isPageVisible = isVisible;
    this.#visibility.forEach((listener) => listener());
  }

  goOnline(): void {
    this.#online.forEach((listener) => listener());
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1)!;
  }

  get pageListeners(): number {
    return this.#visibility.size + this.#online.size;
  }
}
