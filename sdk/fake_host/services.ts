/** Services and schedules, driven by hand. */
import type { FakeServiceRun } from "../src/testing/behavior";
import { notFound } from "./agents";
import type { Generation } from "./generation";
import { failure } from "./runtime";

interface Outcome {
  failed?: true;
  name?: string;
  message?: string;
  stack?: string;
}

export class Services {
  readonly #running = new Set<string>();
  readonly #runs = new Map<string, AbortController>();

  constructor(private readonly load: Generation) {}

  get running(): Iterable<string> {
    return [...this.#running];
  }

  run(name: string): FakeServiceRun {
    if (this.load.ended) {
      throw this.load.notRunning();
    }
    if (!this.load.services.includes(name)) {
      throw notFound("service", this.load.pluginId, name);
    }
    if (this.#running.has(name)) {
      throw new Error(`service "${name}" is running already`);
    }
    this.#running.add(name);
    const done = this.#follow(name);
    // Whoever only stops it does not look at how it ended.
    done.catch(() => undefined);
    return { done, stop: async () => void (await this.load.runtime.invoke("service.stop", name, "")) };
  }

  /** One run of a schedule at a time; its signal aborts with that of the caller, and at the end of the load. */
  async runSchedule(
    name: string,
    { scheduledAt = Date.now(), missed = false, signal }: { scheduledAt?: number; missed?: boolean; signal?: AbortSignal },
  ): Promise<void> {
    if (this.#runs.has(name)) {
      throw failure("conflict", `schedule "${name}" of plugin "${this.load.pluginId}" is running; try again when it has ended`);
    }
    const run = new AbortController();
    this.#runs.set(name, run);
    const signals = signal === undefined ? [run.signal] : [run.signal, signal];
    try {
      await this.load.invoke(`schedule:${name}`, "schedule", JSON.stringify({ name, scheduledAt, missed }), "", AbortSignal.any(signals));
    } finally {
      this.#runs.delete(name);
    }
  }

  abortRuns(): void {
    for (const run of this.#runs.values()) {
      run.abort();
    }
  }

  async #follow(name: string): Promise<void> {
    const answer = await this.load.runtime.invoke("service.run", name, "");
    this.#running.delete(name);
    const outcome = JSON.parse(answer) as Outcome;
    if (outcome.failed === true) {
      throw this.#failure(name, outcome);
    }
  }

  #failure(service: string, { name = "", message = "", stack = "" }: Outcome): Error {
    if (name === "NeedsConfigurationError") {
      this.load.log("warn", `service "${service}" needs configuration: ${message}`);
      this.load.needsConfiguration = message || "the plugin needs configuration";
    } else {
      this.load.log("error", `service "${service}" failed: ${message}`, stack);
    }
    return Object.assign(new Error(message), { stack }, name === "" ? {} : { name });
  }
}
