/** `L:import-parallel` */
export const kImportParallel = 3;

export interface PoolTask {
  readonly pluginId: string;
  /** Bytes. */
  readonly size: number;
}

interface Waiting {
  readonly task: PoolTask;
  start(): void;
}

/** Lets a few imports run at a time: the plugin on the current page first, then the smallest. */
export class ImportPool {
  readonly #urgentPluginId: () => string | null;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  /** `urgentPluginId` is asked whenever a place becomes free, since people navigate meanwhile. */
  constructor(urgentPluginId: () => string | null) {
    this.#urgentPluginId = urgentPluginId;
  }

  /** What was asked for in one turn starts together, in the order above. */
  async run<T>(task: PoolTask, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ task, start });
      queueMicrotask(() => this.#fill());
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#fill();
    }
  }

  #fill(): void {
    while (this.#running < kImportParallel && this.#waiting.length > 0) {
      const next = this.#takeNext();
      this.#running += 1;
      next.start();
    }
  }

  #takeNext(): Waiting {
    const urgent = this.#urgentPluginId();
    const rank = ({ task }: Waiting) => (task.pluginId === urgent ? -1 : task.size);
    const best = this.#waiting.reduce((a, b) => (rank(b) < rank(a) ? b : a));
    this.#waiting.splice(this.#waiting.indexOf(best), 1);
    return best;
  }
}
