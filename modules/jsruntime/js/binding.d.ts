/** What the C++ side gives prelude and bootstrap. Plugin code never sees it. */
export interface Binding {
  /** Host functions by index; "" and undefined are the same. Throws host errors. */
  callSync(index: number, argument: string | undefined): string | undefined;
  call(index: number, argument: string | undefined, id: number): void;
  transfer(index: number, argument: string | undefined, id: number, bytes: Uint8Array | undefined): void;
  /** HostRuntime.quoteJson(). */
  quoteJson(pieces: readonly string[]): string | undefined;
  native(name: string): object | undefined;
  handle(name: string, handler: unknown): void;
  resolved(id: number, value: unknown): void;
  failed(id: number, own: boolean, name: string, message: string, stack: string, code: string, details?: string, issues?: string): void;
  /** 0: the call runs, 1: its caller has given up, 2: it has been answered. */
  watchSignal(id: number): 0 | 1 | 2;
  log(level: "debug" | "info" | "warn" | "error", text: string): void;
  uncaught(origin: "timer" | "rejection", name: string, message: string, stack: string, code: string, details?: string): void;
  /** Ends the environment. Returns, but no JavaScript runs after the return. */
  end(kind: "exit" | "abort" | "signal", code: number, message: string): void;
  /** The default export of a further script of the service. */
  script(name: "websocket"): unknown;
  sourceMap(path: string, map: string): void;
  pauseWatchdog(paused: boolean): void;
  /** Set by the bootstrap, for the prelude, when the environment has its options. */
  diagnosticsDir?: string | undefined;
  /** These are set by the prelude, for the bootstrap. */
  workerThreads: ThreadBinding["workerThreads"];
  /** Runs `act`, which may open Node's inspector and connect sessions. */
  withInspector<T>(act: () => T): T;
}

/** Of each thread, worker threads included: src/thread_binding.cpp. */
export interface ThreadBinding {
  /** Who closes a descriptor: 0 it is not of this environment, 1 whoever has the number, 2 an object of Node. */
  holderOf(descriptor: number): 0 | 1 | 2;
  setHolder(descriptor: number, holder: 1 | 2): void;
  removeDescriptor(descriptor: number): void;
  /** Removes it when its object has closed it; one that another thread was given stays. */
  removeClosed(descriptor: number): void;
  /** A socket or pipe that an object of this thread closes. */
  openedSocket(): void;
  closedSocket(): void;
  /** Opens a file and tells `request.oncomplete(error, descriptor)`, by then with a holder. Throws when it cannot even begin. */
  openFile(path: unknown, flags: unknown, mode: unknown, request: object): void;
  /** Room for the SharedArrayBuffers of all threads: false when there is none. */
  takeShared(bytes: number): boolean;
  giveShared(bytes: number): void;
  /** Whether a signal to this process or (negative) group is one to the server. */
  reachesServer(pid: number): boolean;
  /** The entry `NAME=value` that a program gets which is about to be started: its load is known by it, and ends it. */
  markForProgram(): string;
  /** Of all threads of the environment: how many there are, and how many there may be (0: no limit). */
  workerThreads(): [used: number, most: number];
  descriptors(): [used: number, most: number];
}

/** `require` of the embedded Node for its own modules, without "node:". */
export type BuiltinRequire = <T = any>(id: string) => T;
