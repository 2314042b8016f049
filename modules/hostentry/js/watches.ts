/** File watches of the entry. The daemon looks at the files; here are the callbacks. */
import type {
  ExperimentalHostWatchListener,
  ExperimentalHostWatchSubscription,
  HostWatchOptions,
} from "../../../sdk/src/host/definition.js";
import {
  checkWatchListener,
  checkWatchOptions,
  kWatchCountMax,
  watchEvent,
  type UnnamedWatchEvent,
} from "../../../sdk/src/host_policy/watch.js";

type Received =
  | { type: "watch-ready"; watchId: string }
  | { type: "watch-start-error"; watchId: string; message: string }
  | { type: "watch-event"; watchId: string; sequence: number; event: UnnamedWatchEvent };

interface Watch {
  on: ExperimentalHostWatchListener;
  started?: { resolve(): void; reject(error: Error): void };
}

export interface Watches {
  start(options: HostWatchOptions, on: ExperimentalHostWatchListener): Promise<ExperimentalHostWatchSubscription>;
  received(message: Received): void;
  close(): void;
}

export function makeWatches(send: (message: object) => void, report: (error: unknown) => void): Watches {
  const watches = new Map<string, Watch>();
  let last = 0;
  let closed = false;

  const stop = (watchId: string): void => {
    if (watches.delete(watchId) && !closed) {
      send({ type: "watch-stop", watchId });
    }
  };

  /** The daemon sends the next event when this one is acknowledged. */
  const deliver = (watch: Watch, { watchId, sequence, event: sent }: Extract<Received, { sequence: number }>): void => {
    const event = watchEvent(sent);
    // The watch has ended with an error; there is nothing to dispose of any more.
    if (event.kind === "watch-error") {
      watches.delete(watchId);
    }
    const acknowledge = (): void => {
      if (!closed) {
        send({ type: "watch-ack", watchId, sequence });
      }
    };
    let pending: void | Promise<void> = undefined;
    try {
      pending = watch.on(event);
    } catch (error) {
      report(error);
    }
    if (typeof pending?.then === "function") {
      void Promise.resolve(pending).catch(report).finally(acknowledge);
    } else {
      acknowledge();
    }
  };

  return {
    async start(options, on) {
      const checked = checkWatchOptions(options);
      checkWatchListener(on);
      if (closed) {
        throw new Error("experimental_watch: the worker is stopping");
      }
      if (watches.size >= kWatchCountMax) {
        throw new Error(`experimental_watch: there are ${kWatchCountMax} watches already, the limit watch-count; dispose one first`);
      }
      const watchId = String(++last);
      await new Promise<void>((resolve, reject) => {
        watches.set(watchId, { on, started: { resolve, reject } });
        send({ type: "watch-start", watchId, options: checked });
      });
      return { dispose: async () => stop(watchId) };
    },
    received(message) {
      const watch = watches.get(message.watchId);
      switch (message.type) {
        case "watch-ready":
          watch?.started?.resolve();
          delete watch?.started;
          return;
        case "watch-start-error":
          watches.delete(message.watchId);
          watch?.started?.reject(new Error(`experimental_watch: ${message.message}`));
          return;
        case "watch-event":
          if (watch === undefined) {
            return;
          }
          deliver(watch, message);
      }
    },
    close() {
      closed = true;
      for (const watch of watches.values()) {
        watch.started?.reject(new Error("experimental_watch: the worker is stopping"));
      }
      watches.clear();
    },
  };
}
