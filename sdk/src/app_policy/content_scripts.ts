import type { PluginContentScriptDisposer, PluginContentScriptRegistration, PluginThreadRowStatus } from "../app/content_scripts.js";
import { kScriptMountMs } from "./limits.js";

export interface ContentScriptOptions {
  pluginId: string;
  generation: number;
  /** Null withdraws. Called for the script's statuses that are left when it ends, too. */
  setThreadRowStatus(scriptId: string, threadId: string, status: PluginThreadRowStatus | null): void;
  /** A throw of `mount`, one that came too late, or of a disposer. */
  onFailure(scriptId: string, phase: "mount" | "dispose", failure: unknown): void;
  /** How each script fares, after its failure was told. */
  onState?(scriptId: string, state: "mounting" | "mounted" | "failed" | "disposed"): void;
}

/** Scripts of one plugin that run. */
export interface MountedContentScripts {
  /** Resolves when each has mounted or failed. */
  readonly mounted: Promise<void>;
  /** Aborts all signals at once, then runs the disposers in reverse order; the second call waits for the first. */
  dispose(): Promise<void>;
}

/** Starts scripts in the given order; one that fails is ended, the others stay. */
export function mountContentScripts(
  registrations: readonly PluginContentScriptRegistration[],
  options: ContentScriptOptions,
): MountedContentScripts {
  const scripts = registrations.map((registration) => new Script(registration, options));
  const mounted = Promise.all(scripts.map((script) => script.mount())).then(() => undefined);
  let disposal: Promise<void> | undefined;
  async function disposeAll(): Promise<void> {
    scripts.forEach((script) => script.abort());
    for (const script of [...scripts].reverse()) {
      await script.dispose();
    }
  }
  return { mounted, dispose: () => (disposal ??= disposeAll()) };
}

/** "destructive" is another name of the tone "error". */
function withTone(status: PluginThreadRowStatus): PluginThreadRowStatus {
  return status.tone === "destructive" ? { ...status, tone: "error" } : status;
}

class Script {
  readonly #registration: PluginContentScriptRegistration;
  readonly #options: ContentScriptOptions;
  readonly #controller = new AbortController();
  readonly #threads = new Set<string>();
  #disposer: PluginContentScriptDisposer | undefined;
  #ended = false;

  constructor(registration: PluginContentScriptRegistration, options: ContentScriptOptions) {
    this.#registration = registration;
    this.#options = options;
  }

  async mount(): Promise<void> {
    this.#options.onState?.(this.#registration.id, "mounting");
    try {
      await bounded(this.#run(), "mount");
      if (!this.#ended) {
        this.#options.onState?.(this.#registration.id, "mounted");
      }
    } catch (failure) {
      // One that was ended while it mounted usually stops because its signal aborted.
      if (!this.#ended) {
        this.#options.onFailure(this.#registration.id, "mount", failure);
        await this.#end("failed");
      }
    }
  }

  async #run(): Promise<void> {
    const { pluginId, generation } = this.#options;
    const disposer = await this.#registration.mount({
      pluginId,
      generation,
      signal: this.#controller.signal,
      experimental_setThreadRowStatus: (threadId, status) => this.#setStatus(threadId, status),
    });
    if (typeof disposer === "function") {
      this.#disposer = disposer;
      if (this.#ended) {
        // It came after the script was ended, and is owed one call.
        await this.#callDisposer();
      }
    }
  }

  #setStatus(threadId: string, status: PluginThreadRowStatus | null): void {
    if (this.#ended) {
      return;
    }
    status === null ? this.#threads.delete(threadId) : this.#threads.add(threadId);
    this.#options.setThreadRowStatus(this.#registration.id, threadId, status === null ? null : withTone(status));
  }

  abort(): void {
    this.#controller.abort();
  }

  async dispose(): Promise<void> {
    if (!this.#ended) {
      await this.#end("disposed");
    }
  }

  async #end(state: "failed" | "disposed"): Promise<void> {
    this.abort();
    for (const threadId of [...this.#threads]) {
      this.#setStatus(threadId, null);
    }
    this.#ended = true;
    await this.#callDisposer();
    this.#options.onState?.(this.#registration.id, state);
  }

  async #callDisposer(): Promise<void> {
    const disposer = this.#disposer;
    this.#disposer = undefined;
    try {
      await bounded(Promise.resolve(disposer?.()), "the disposer");
    } catch (failure) {
      this.#options.onFailure(this.#registration.id, "dispose", failure);
    }
  }
}

/** Scripts of other plugins and of the next version wait for this one. */
async function bounded(work: Promise<void>, what: string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${kScriptMountMs} ms`)), kScriptMountMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
