import type { HostRuntime } from "../../jsruntime/js/runtime";
import { buildSchedule } from "./background_schedule";
import { buildService } from "./background_service";
import { buildKv } from "./kv";
import { LoadFailure, loadPlugin } from "./load";
import { buildLog } from "./log";
import type { PluginApi } from "./plugin_api";
import { Settings } from "./settings";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface CoreConfig {
  pluginId: string;
  dataDir: string;
  kvKey: number;
  kvValue: number;
  settingValue: number;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
/** Characters of JSON of one kind: every window and every command reads what plugins register. */
const kRegistration = 4 * 1024 * 1024;

/** Builds the `svc` object and the calls the manager makes into an environment. Other parts extend it. */
export default function core(runtime: HostRuntime, target: Mutable<PluginApi>): void {
  const config = parse(runtime.callSync("core.config") ?? "{}") as CoreConfig;
  const log = buildLog(runtime);
  const hooks: (() => unknown)[] = [];
  const installHooks: (() => unknown)[] = [];
  let stale = false;
  let inFactory = false;

  const assertFresh = (member: string): void => {
    if (!stale) {
      return;
    }
    const error = new Error(
      `svc.${member}: this svc object belongs to an earlier load of the plugin; use the one its factory was given last`,
    );
    error.name = "PluginContextStaleError";
    throw error;
  };
  const api = target;
  Object.defineProperty(api, "inFactory", { get: () => inFactory, enumerable: true });
  api.guard = (member, fn) =>
    function guarded(...args) {
      if (stale) {
        assertFresh(member);
      }
      return fn(...args);
    };
  api.fail = (member, what) => {
    throw new TypeError(`${member}: ${what}`);
  };
  api.problem = (code, message) => void runtime.callSync("core.problem", stringify({ code, message }));
  api.unsupported = (member) => void runtime.callSync("core.unsupported", stringify(member));
  /** What is told when the factory has ended. */
  const registrations = new Map<string, () => unknown>();
  api.setRegistration = (kind, value) => {
    if (typeof value === "function" && inFactory) {
      registrations.set(kind, value as () => unknown);
      return;
    }
    const text = stringify({ kind, value: typeof value === "function" ? value() : value });
    if (text.length > kRegistration) {
      throw new RangeError(
        `what the plugin registers as ${kind} has ${text.length} characters as JSON, the limit registration is ${kRegistration}`,
      );
    }
    runtime.callSync("core.register", text);
  };
  const tellRegistrations = (): void => {
    inFactory = false;
    const all = [...registrations];
    registrations.clear();
    all.forEach(([kind, value]) => api.setRegistration(kind, value));
  };
  api.onDispose = (fn) => void hooks.push(fn);
  api.pluginId = config.pluginId;

  const requireFunction = (member: string, fn: unknown): void => {
    if (typeof fn !== "function") {
      api.fail(member, `needs a function, got ${fn === null ? "null" : typeof fn}`);
    }
  };
  api.svc = {
    pluginId: config.pluginId,
    log,
    storage: { kv: buildKv(runtime, api, config) },
    settings: new Settings(runtime, api, log, config.settingValue, () => stale).member(),
    background: { service: buildService(runtime, api, log), schedule: buildSchedule(runtime, api) },
    onDispose: api.guard("onDispose", (fn: () => void | Promise<void>) => {
      requireFunction("onDispose", fn);
      hooks.push(fn);
    }),
    onInstall: api.guard("onInstall", (fn: () => void | Promise<void>) => {
      requireFunction("onInstall", fn);
      if (installHooks.push(fn) === 1) {
        api.setRegistration("install", true);
      }
    }),
    status: {
      needsConfiguration: api.guard("status.needsConfiguration", (message?: unknown) => {
        runtime.callSync("core.needsConfiguration", stringify(message === undefined ? "" : String(message)));
      }),
    },
    server: {
      get loopbackBaseUrl(): string {
        assertFresh("server.loopbackBaseUrl");
        return parse(runtime.callSync("core.baseUrl") ?? '""') || (process.env.SVC_SERVER_URL ?? "");
      },
      get experimental_appUrl(): string | null {
        assertFresh("server.experimental_appUrl");
        return (parse(runtime.callSync("core.appUrl") ?? '""') as string) || null;
      },
      experimental_dataDir: config.dataDir,
      experimental_hostId: null,
    },
  };

  runtime.handle("plugin.load", async (entry) => {
    inFactory = true;
    try {
      await loadPlugin(runtime, entry, api.svc);
      tellRegistrations();
    } catch (error) {
      try {
        tellRegistrations();
      } catch {
        // The load has failed already.
      }
      const failure = error instanceof LoadFailure ? error : LoadFailure.from(runtime, entry, error);
      throw runtime.error("load_failed", failure.message, { details: { stack: failure.mappedStack } });
    }
    return undefined;
  });
  runtime.handle("plugin.runInstallHooks", async () => {
    for (const hook of installHooks) {
      try {
        await hook();
      } catch (error) {
        log.failure("an onInstall hook failed", error);
      }
    }
    return undefined;
  });
  runtime.handle("plugin.runHooks", async (meta) => {
    const { hookMs } = parse(meta) as { hookMs: number };
    for (let hook = hooks.pop(); hook !== undefined; hook = hooks.pop()) {
      await runHook(hook, hookMs).catch((error: unknown) => log.failure("an onDispose hook failed", error));
    }
    return undefined;
  });
  runtime.handle("plugin.invalidate", () => {
    stale = true;
    return undefined;
  });
}

const { setTimeout, clearTimeout } = globalThis;

/** Runs one hook for at most `limitMs`; a hook that takes longer is left behind. */
async function runHook(hook: () => unknown, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not finish within ${limitMs} ms (limit disposeHook)`)), limitMs);
  });
  try {
    await Promise.race([(async () => hook())(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
