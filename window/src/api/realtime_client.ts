import type { JsonValue } from "#sdk/json.js";

import type { ChangedMessage, ChangeTarget, ConnectionState, PluginSummary, Realtime, ThreadOpenRequest } from "./realtime";
import type { RealtimeDeps, RealtimeSocket } from "./realtime_browser";

// Milliseconds.
/** `L:ws-connect` */
const kConnectMs = 10_000;
/** `L:ws-retry` — the first wait, its growth, the longest wait and how far the jitter goes. */
const kRetryMs = 1000;
const kRetryGrowth = 1.5;
const kRetryMaxMs = 30_000;
const kRetryJitter = 0.25;
/** `L:ws-ping` — how often, and how recently the server must have spoken to make one needless. */
const kPingMs = 25_000;
const kQuietMs = 5000;
/** `L:ws-pong` */
const kPongMs = 5000;

// The window sent something the server refuses: reconnecting helps, but somebody has to know.
const kOwnFaults: ReadonlyMap<number, string> = new Map([
  [1008, "the server refused a message of this window"],
  [1009, "a message of this window was too large for the server"],
]);

type Handler<T> = (value: T) => void;

interface Watched {
  readonly target: ChangeTarget;
  readonly listeners: Set<Handler<ChangedMessage>>;
}

/** Adds a listener; the same function may be added several times, each with its own removal. */
function add<T>(set: Set<Handler<T>>, listener: Handler<T>): () => void {
  const own: Handler<T> = (value) => listener(value);
  set.add(own);
  return () => void set.delete(own);
}

/** See `Realtime`. */
export class RealtimeClient implements Realtime {
  readonly #deps: RealtimeDeps;
  readonly #stateListeners = new Set<Handler<void>>();
  readonly #signals = new Map<string, Set<Handler<JsonValue>>>();
  readonly #pluginsListeners = new Set<Handler<PluginSummary[]>>();
  readonly #connectedListeners = new Set<Handler<boolean>>();
  readonly #threadOpenListeners = new Set<Handler<ThreadOpenRequest>>();
  readonly #watched = new Map<string, Watched>();

  #state: ConnectionState = "connecting";
  #updateAvailable = false;
  #server: { serverId: unknown; version: unknown } | undefined;
  #isStarted = false;
  #hasConnected = false;
  #socket: RealtimeSocket | undefined;
  #retryDelayMs: number | null = null;
  /** Reconnects without success since the last open socket. */
  #failures = 0;
  #heardAt = 0;
  /** Of the connection attempt or the wait before the next one. */
  #connectTimer: unknown;
  #pingTimer: unknown;
  #pongTimer: unknown;
  #pageListeners: (() => void)[] = [];

  constructor(deps: RealtimeDeps) {
    this.#deps = deps;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get retryDelayMs(): number | null {
    return this.#retryDelayMs;
  }

  get updateAvailable(): boolean {
    return this.#updateAvailable;
  }

  subscribeState(listener: () => void): () => void {
    return add(this.#stateListeners, listener);
  }

  onSignal(pluginId: string, channel: string, listener: Handler<JsonValue>): () => void {
    const key = signalKey(pluginId, channel);
    const listeners = this.#signals.get(key) ?? new Set();
    this.#signals.set(key, listeners);
    const remove = add(listeners, listener);
    return () => {
      remove();
      if (listeners.size === 0 && this.#signals.get(key) === listeners) {
        this.#signals.delete(key);
      }
    };
  }

  onPluginsChanged(listener: Handler<PluginSummary[]>): () => void {
    return add(this.#pluginsListeners, listener);
  }

  onThreadOpen(listener: Handler<ThreadOpenRequest>): () => void {
    return add(this.#threadOpenListeners, listener);
  }

  onConnected(listener: Handler<boolean>): () => void {
    return add(this.#connectedListeners, listener);
  }

  watch(target: ChangeTarget, listener: Handler<ChangedMessage>): () => void {
    const key = targetKey(target);
    const watched = this.#watched.get(key) ?? { target, listeners: new Set() };
    if (watched.listeners.size === 0) {
      this.#watched.set(key, watched);
      this.#send({ type: "subscribe", target });
    }
    const remove = add(watched.listeners, listener);
    return () => {
      remove();
      if (watched.listeners.size === 0 && this.#watched.get(key) === watched) {
        this.#watched.delete(key);
        this.#send({ type: "unsubscribe", target });
      }
    };
  }

  start(): void {
    if (this.#isStarted) {
      return;
    }
    this.#isStarted = true;
    this.#pageListeners = [this.#deps.onOnline(() => this.#retryNow()), this.#deps.onVisibility(() => this.#onVisibility())];
    this.#connect();
  }

  stop(): void {
    this.#isStarted = false;
    this.#pageListeners.forEach((remove) => remove());
    this.#pageListeners = [];
    this.#letGo();
    this.#failures = 0;
    this.#setState(this.#hasConnected ? "reconnecting" : "connecting");
  }

  // Connection

  #connect(): void {
    this.#letGo();
    let socket: RealtimeSocket;
    try {
      socket = this.#deps.openSocket();
    } catch (failure) {
      this.#deps.warn("realtime: no socket could be opened", failure);
      this.#retryLater();
      return;
    }
    this.#socket = socket;
    socket.onopen = () => this.#onOpen();
    socket.onmessage = ({ data }) => this.#onMessage(data);
    socket.onclose = ({ code, reason }) => this.#onClose(code, reason);
    this.#connectTimer = this.#deps.setTimer(() => this.#lose(), kConnectMs);
  }

  /** Forgets the socket: what it still reports does not count any more. */
  #letGo(): void {
    for (const timer of [this.#connectTimer, this.#pingTimer, this.#pongTimer]) {
      this.#deps.clearTimer(timer);
    }
    this.#connectTimer = this.#pingTimer = this.#pongTimer = undefined;
    this.#retryDelayMs = null;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  #lose(): void {
    this.#letGo();
    this.#retryLater();
    this.#setState(this.#hasConnected ? "reconnecting" : "connecting");
  }

  #retryLater(): void {
    const wait = Math.min(kRetryMs * kRetryGrowth ** this.#failures, kRetryMaxMs);
    this.#failures += 1;
    const jitter = 1 + kRetryJitter * (2 * this.#deps.random() - 1);
    this.#retryDelayMs = Math.round(wait * jitter);
    this.#connectTimer = this.#deps.setTimer(() => this.#connect(), wait * jitter);
  }

  /** The network or the page is back: no reason to wait any longer. An attempt under way goes on. */
  #retryNow(): void {
    if (this.#isStarted && this.#socket === undefined) {
      this.#failures = 0;
      this.#connect();
    }
  }

  #onOpen(): void {
    this.#deps.clearTimer(this.#connectTimer);
    this.#connectTimer = undefined;
    this.#failures = 0;
    this.#heardAt = this.#deps.now();
    const isReconnect = this.#hasConnected;
    this.#hasConnected = true;
    for (const { target } of this.#watched.values()) {
      this.#send({ type: "subscribe", target });
    }
    this.#schedulePing();
    this.#setState("connected");
    this.#tell(this.#connectedListeners, isReconnect);
  }

  #onClose(code: number, reason: string): void {
    const fault = kOwnFaults.get(code);
    if (fault !== undefined) {
      this.#deps.warn(`realtime: ${fault} (close code ${code}${reason === "" ? "" : `, ${reason}`})`);
    }
    this.#lose();
  }

  // Liveness

  #schedulePing(): void {
    this.#deps.clearTimer(this.#pingTimer);
    this.#pingTimer = this.#deps.isVisible() ? this.#deps.setTimer(() => this.#pingIfQuiet(), kPingMs) : undefined;
  }

  #pingIfQuiet(): void {
    if (this.#deps.now() - this.#heardAt >= kQuietMs) {
      this.#ping();
    }
    this.#schedulePing();
  }

  #ping(): void {
    if (this.#state !== "connected" || this.#pongTimer !== undefined) {
      return;
    }
    this.#send({ type: "ping" });
    // Whatever the server says in the meantime shows that it is there.
    this.#pongTimer = this.#deps.setTimer(() => this.#connectAgain(), kPongMs);
  }

  #connectAgain(): void {
    this.#setState("reconnecting");
    this.#connect();
  }

  #onVisibility(): void {
    if (!this.#deps.isVisible()) {
      // A hidden page's timers are slowed down, and a late pong would look like a dead socket.
      this.#deps.clearTimer(this.#pingTimer);
      this.#deps.clearTimer(this.#pongTimer);
      this.#pingTimer = this.#pongTimer = undefined;
    } else if (this.#state === "connected") {
      // The computer may have slept; the socket looks open until something is sent.
      this.#pingIfQuiet();
    } else {
      this.#retryNow();
    }
  }

  // Messages

  #onMessage(data: unknown): void {
    this.#heardAt = this.#deps.now();
    this.#deps.clearTimer(this.#pongTimer);
    this.#pongTimer = undefined;
    const message = parse(data);
    switch (message?.type) {
      case "hello":
        this.#onHello(message);
        break;
      case "plugin-signal":
        this.#tell(this.#signals.get(signalKey(message.pluginId, message.channel)), (message.payload ?? null) as JsonValue);
        break;
      case "plugins-changed":
        if (Array.isArray(message.plugins)) {
          this.#tell(this.#pluginsListeners, message.plugins as PluginSummary[]);
        }
        break;
      case "thread-open":
        if (typeof message.threadId === "string") {
          this.#tell(this.#threadOpenListeners, { threadId: message.threadId, file: (message.file ?? null) as ThreadOpenRequest["file"] });
        }
        break;
      case "changed":
        if (Array.isArray(message.changes)) {
          this.#onChanged(message as unknown as ChangedMessage);
        }
        break;
      default:
        // Newer servers may say more.
        break;
    }
  }

  #onHello({ serverId, version }: Message): void {
    const known = this.#server;
    this.#server = { serverId, version };
    if (known !== undefined && (known.serverId !== serverId || known.version !== version) && !this.#updateAvailable) {
      this.#updateAvailable = true;
      this.#tell(this.#stateListeners, undefined);
    }
  }

  #onChanged(message: ChangedMessage): void {
    for (const { target, listeners } of [...this.#watched.values()]) {
      if (isAbout(message, target)) {
        this.#tell(listeners, message);
      }
    }
  }

  #send(message: object): void {
    if (this.#hasOpenSocket()) {
      this.#socket?.send(JSON.stringify(message));
    }
  }

  #hasOpenSocket(): boolean {
    return this.#socket !== undefined && this.#connectTimer === undefined;
  }

  #setState(state: ConnectionState): void {
    if (state !== this.#state) {
      this.#state = state;
      this.#tell(this.#stateListeners, undefined);
    }
  }

  #tell<T>(listeners: Set<Handler<T>> | undefined, value: T): void {
    for (const listener of [...(listeners ?? [])]) {
      try {
        listener(value);
      } catch (failure) {
        this.#deps.warn("realtime: a listener threw", failure);
      }
    }
  }
}

type Message = { type?: unknown; [member: string]: unknown };

function parse(data: unknown): Message | undefined {
  try {
    const value: unknown = typeof data === "string" ? JSON.parse(data) : undefined;
    return typeof value === "object" && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

const signalKey = (pluginId: unknown, channel: unknown) => JSON.stringify([pluginId, channel]);

function targetKey(target: ChangeTarget): string {
  return JSON.stringify([target.kind, targetId(target)]);
}

function targetId(target: ChangeTarget): string | undefined {
  switch (target.kind) {
    case "thread-detail":
      return target.threadId;
    case "project-detail":
      return target.projectId;
    case "environment-detail":
      return target.environmentId;
    case "host-detail":
      return target.hostId;
    default:
      return undefined;
  }
}

/** The server sends what matches any target of the window; each listener hears of its own target only. */
function isAbout({ entity, id }: ChangedMessage, target: ChangeTarget): boolean {
  if (target.kind === "system") {
    return entity === "system";
  }
  const wanted = targetId(target);
  return target.kind.replace(/-(list|detail)$/, "") === entity && (wanted === undefined || wanted === id);
}
