/** Services and schedules, driven by hand. */
import type { FakeServiceRun } from "../src/testing/behavior";
import { notFound } from "./agents";
import type { Generation } from "./generation";

interface Outcome {
  failed?: true;
  name?: string;
  message?: string;
  stack?: string;
}

export class Services {
  readonly #running = new Set<string>();

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

export async function runSchedule(
  load: Generation,
  name: string,
  { scheduledAt = Date.now(), missed = false, signal }: { scheduledAt?: number; missed?: boolean; signal?: AbortSignal },
): Promise<void> {
  const meta = JSON.stringify({ name, scheduledAt, missed });
  await load.invoke(`schedule:${name}`, "schedule", meta, "", signal);
}
