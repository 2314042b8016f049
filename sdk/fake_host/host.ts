import type { PluginFactory } from "../src/api";
import type { FakeBehavior } from "../src/testing/behavior";
import type { FakeLifecycle, FakePluginHarness, FakePluginHost, FakePluginHostOptions } from "../src/testing";
import type { FakeInspection, FakeSdk } from "../src/testing/inspection";
import { makeBehavior } from "./behavior";
import { DatabaseFile } from "./database";
import { dispose } from "./disposal";
import { Generation } from "./generation";
import { failure } from "./runtime";
import { Services } from "./services";
import { Shared } from "./shared";

/** The present load, and the steps from one to the next. */
export class FakeHost {
  readonly shared: Shared;
  load: Generation;
  services: Services;
  readonly #file = new DatabaseFile();
  /** Of the present load, when `reload` made it. */
  #factory: PluginFactory | undefined;
  #loaded = true;
  /** Why the last reload kept the load, and which service outlived it. */
  #detail: string | null = null;
  #degraded: string | undefined;
  #operations: Promise<unknown> = Promise.resolve();

  constructor(options: FakePluginHostOptions) {
    const { pluginId } = (options ?? {}) as Partial<FakePluginHostOptions>;
    if (typeof pluginId !== "string" || pluginId === "") {
      throw new TypeError("createFakePluginHost: pluginId must be a non-empty string");
    }
    this.shared = new Shared(options);
    this.load = new Generation(this.shared, this.#file);
    this.services = new Services(this.load);
  }

  /** One operation at a time, as on the server. */
  reload(factory: PluginFactory): Promise<void> {
    return this.#after(() => this.#reload(factory));
  }

  dispose(): Promise<void> {
    return this.#after(() => this.#dispose());
  }

  #after<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#operations.then(operation);
    this.#operations = result.catch(() => undefined);
    return result;
  }

  async #reload(factory: PluginFactory): Promise<void> {
    const next = new Generation(this.shared, this.#file);
    try {
      await next.load(factory);
    } catch (error) {
      await dispose(next, new Services(next));
      throw this.#keep(error as Error);
    }
    const [previous, services] = [this.load, this.services];
    const replaces = this.#loaded;
    this.load = next;
    this.services = new Services(next);
    this.#factory = factory;
    this.#loaded = true;
    this.#detail = null;
    this.#degraded = replaces ? await dispose(previous, services) : undefined;
  }

  async #dispose(): Promise<void> {
    if (!this.#loaded) {
      return;
    }
    this.#loaded = false;
    await dispose(this.load, this.services);
    this.#file.remove();
  }

  async install(): Promise<void> {
    await this.load.invoke("install", "plugin.runInstallHooks", "", "");
  }

  /** A save while the plugin waits for configuration loads it again. */
  async reconfigure(): Promise<void> {
    if (this.load.needsConfiguration !== undefined && this.#factory !== undefined) {
      await this.reload(this.#factory);
    }
  }

  get status(): FakeInspection["status"] {
    if (!this.#loaded) {
      return { status: "disabled", statusDetail: null };
    }
    const { needsConfiguration } = this.load;
    if (needsConfiguration !== undefined) {
      return { status: "needs-configuration", statusDetail: needsConfiguration };
    }
    if (this.#degraded !== undefined) {
      return { status: "degraded", statusDetail: this.#degraded };
    }
    return { status: "running", statusDetail: this.#detail };
  }

  #keep(error: Error): Error {
    const { message, cause } = error;
    const present = this.#loaded && (this.#factory !== undefined || this.load.runtime.used);
    if (!present) {
      return failure("load_failed", message, { cause });
    }
    this.#detail = `reload failed: ${message}`;
    return failure("load_failed", `${this.#detail} (the previous instance is still running)`, { cause });
  }
}

export function createFakePluginHost(options: FakePluginHostOptions): FakePluginHost {
  const host = new FakeHost(options);
  const behavior: FakeBehavior = makeBehavior(host);
  const inspection = makeInspection(host);
  const lifecycle: FakeLifecycle = {
    reload: (factory) => host.reload(factory),
    dispose: () => host.dispose(),
    install: () => host.install(),
  };
  const harness = Object.defineProperties(
    { behavior, inspection, lifecycle, ...behavior },
    Object.getOwnPropertyDescriptors(inspection),
  ) as FakePluginHarness;
  return {
    get svc() {
      return host.load.svc;
    },
    harness,
  };
}

function makeInspection(host: FakeHost): FakeInspection {
  const { shared } = host;
  const sdk: FakeSdk = {
    calls: shared.sdkCalls,
    callsTo: (path) => shared.sdkCalls.filter((call) => call.path === path),
    stub: (path, fn) => void shared.sdkStubs.set(path, fn),
  };
  return {
    get registrations() {
      return host.load.registrations;
    },
    get pendingInteractions() {
      return host.load.interactions.pending;
    },
    get status() {
      return host.status;
    },
    get problems() {
      return host.load.problems;
    },
    get unsupported() {
      return host.load.unsupported;
    },
    logEntries: shared.log,
    realtimeSignals: shared.signals as FakeInspection["realtimeSignals"],
    hookRechecks: shared.hookRechecks,
    get files() {
      return shared.files.contents;
    },
    terminals: shared.terminals,
    sdk,
  };
}
