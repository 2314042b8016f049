// Runs on each machine that is looked at, in a worker process. It goes when nobody calls it any more.
import { experimental_defineHostEntry, type ExperimentalHostRpcContext } from "@get-svc/plugin-sdk/host";

import { hostContract, hostSignals, type Usage } from "./contract";
import { readDisks } from "./df";

type Context = ExperimentalHostRpcContext<typeof hostSignals>;

/** Sends the usage every few milliseconds, as long as somebody follows. */
class Broadcast {
  /** Epoch milliseconds until which each of them wants to hear. */
  readonly #until = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #lease: { dispose(): Promise<void> } | undefined;
  #isReading = false;

  follow(id: string, forMs: number, everyMs: number, context: Context): void {
    // Without a lease the worker would be stopped although it has something to do: nobody calls it.
    this.#lease ??= context.experimental_retainWorker();
    this.#until.set(id, Date.now() + forMs);
    this.#timer ??= setInterval(() => void this.#send(context), everyMs);
    context.lifecycle.signal.addEventListener("abort", this.#stop);
  }

  unfollow(id: string): number {
    this.#until.delete(id);
    if (this.#until.size === 0) {
      this.#stop();
    }
    return this.#until.size;
  }

  async #send(context: Context): Promise<void> {
    for (const [id, until] of this.#until) {
      if (until <= Date.now()) {
        this.unfollow(id);
      }
    }
    if (this.#until.size === 0 || this.#isReading) {
      return;
    }
    this.#isReading = true;
    try {
      // What is sent while the machine is not connected is dropped; the next one is on its way.
      await context.experimental_emitSignal("usage", await readUsage(context.lifecycle.signal));
    } catch (error) {
      console.error(`the disks could not be read: ${(error as Error).message}`);
    } finally {
      this.#isReading = false;
    }
  }

  readonly #stop = (): void => {
    clearInterval(this.#timer);
    this.#timer = undefined;
    void this.#lease?.dispose();
    this.#lease = undefined;
  };
}

async function readUsage(signal: AbortSignal): Promise<Usage> {
  return { at: Date.now(), disks: await readDisks(signal) };
}

const broadcast = new Broadcast();

export default experimental_defineHostEntry({
  contract: hostContract,
  experimental_signals: hostSignals,
  handlers: {
    read: (_input, { signal }) => readUsage(signal),
    follow: async ({ id, forMs, everyMs }, context) => {
      const now = await readUsage(context.signal);
      broadcast.follow(id, forMs, everyMs, context);
      return now;
    },
    unfollow: ({ id }) => ({ followers: broadcast.unfollow(id) }),
  },
});
