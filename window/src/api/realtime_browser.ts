/** The part of `WebSocket` that the client uses. */
export interface RealtimeSocket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  send(text: string): void;
  close(): void;
}

/** What the client needs of its surroundings. Times are milliseconds. */
export interface RealtimeDeps {
  openSocket(): RealtimeSocket;
  now(): number;
  setTimer(run: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
  /** From 0 up to 1. */
  random(): number;
  isVisible(): boolean;
  /** Calls when the page becomes visible or hidden; returns what ends that. */
  onVisibility(listener: () => void): () => void;
  /** Calls when the network is there again; returns what ends that. */
  onOnline(listener: () => void): () => void;
  warn(message: string, ...details: unknown[]): void;
}

export function browserRealtime(address: () => string): RealtimeDeps {
  return {
    openSocket: () => new WebSocket(address()) as unknown as RealtimeSocket,
    now: () => Date.now(),
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    random: () => Math.random(),
    isVisible: () => document.visibilityState === "visible",
    onVisibility: (listener) => listen(document, "visibilitychange", listener),
    onOnline: (listener) => listen(window, "online", listener),
    warn: (message, ...details) => console.warn(message, ...details),
  };
}

function listen(target: EventTarget, type: string, listener: () => void): () => void {
  target.addEventListener(type, listener);
  return () => target.removeEventListener(type, listener);
}
