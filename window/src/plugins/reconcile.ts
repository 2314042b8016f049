import { createJoiner, type Joiner } from "@/lib/join";
import { kReconcileMaxMs, kReconcileMs } from "@/api/queries";
import type { PluginSummary } from "@/api/realtime";
import { hasActiveApp, type PluginRecord } from "@/api/records";

/** Milliseconds away from the window after which the computer may have slept. */
export const kSleepMs = 60_000;

/** Decides when the records are fetched again to bring the app entries into line with them. */
export class Reconciler {
  /** Asks for a reconcile. The first one after a quiet time runs at once; those that follow are joined. */
  readonly trigger: Joiner;
  readonly #refresh: () => Promise<unknown>;
  #known = new Map<string, string>();
  #isRunning = false;
  #isQueued = false;

  /** `refresh` fetches the records; what comes of it is applied by whoever watches them. */
  constructor(refresh: () => Promise<unknown>) {
    this.#refresh = refresh;
    this.trigger = createJoiner(() => void this.#run(), { waitMs: kReconcileMs, maxMs: kReconcileMaxMs });
  }

  /** Remembers what was applied last. */
  noteApplied(records: readonly PluginRecord[]): void {
    this.#known = new Map(records.map(({ id, status, app }) => [id, summaryOf(status, app.bundle?.hash ?? null)]));
  }

  /** The complete list: asks for a reconcile when it differs from what was applied. */
  onPluginsChanged(plugins: readonly PluginSummary[]): void {
    const isSame =
      plugins.length === this.#known.size && plugins.every(({ id, status, hash }) => this.#known.get(id) === summaryOf(status, hash));
    if (!isSame) {
      this.trigger();
    }
  }

  async #run(): Promise<void> {
    if (this.#isRunning) {
      this.#isQueued = true;
      return;
    }
    this.#isRunning = true;
    do {
      this.#isQueued = false;
      // A failure is the query's to show; the next connect asks again.
      await this.#refresh().catch(() => undefined);
    } while (this.#isQueued);
    this.#isRunning = false;
  }
}

/** Which statuses there are apart from having an active app entry does not matter to the window. */
function summaryOf(status: PluginRecord["status"], hash: string | null): string {
  return hasActiveApp({ status }) ? `active ${hash}` : "inactive";
}

/** Calls `awake` when the page comes back from the browser's cache or after the computer may have slept, `leave` when it goes. */
export function watchPageLife(awake: () => void, leave: () => void, target: Window = window): () => void {
  let leftAt: number | undefined;
  const away = () => {
    leftAt ??= Date.now();
  };
  const back = () => {
    if (target.document.visibilityState === "visible") {
      const wasAway = leftAt !== undefined && Date.now() - leftAt >= kSleepMs;
      leftAt = undefined;
      if (wasAway) {
        awake();
      }
    }
  };
  const listeners: [EventTarget, string, (event: Event) => void][] = [
    [target, "blur", away],
    [target, "focus", back],
    [target.document, "visibilitychange", () => (target.document.visibilityState === "visible" ? back() : away())],
    [target, "pageshow", (event) => (event as PageTransitionEvent).persisted && awake()],
    [target, "pagehide", (event) => !(event as PageTransitionEvent).persisted && leave()],
  ];
  listeners.forEach(([on, type, listener]) => on.addEventListener(type, listener));
  return () => listeners.forEach(([on, type, listener]) => on.removeEventListener(type, listener));
}
