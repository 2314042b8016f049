import type { HostRuntime } from "../../jsruntime/js/runtime";
import { describeError, type CoreLog } from "./log";
import type { PluginApi } from "./plugin_api";
import { checkFunction, checkName, checkObject, ignoreUnknownFields } from "./policy/arguments";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { stringify } = JSON;
const { AbortController, setImmediate } = globalThis;

const MEMBER = "background.service";

interface Definition {
  start(signal: AbortSignal): unknown;
}

/** One call of start(). */
interface Run {
  readonly controller: AbortController;
  /** Until it failed, ended or was told to stop: nothing that happens later is a failure of the service. */
  live: boolean;
  /** Never rejects. */
  settled: Promise<void>;
}

/** What the host is told about a run; empty when it ended normally. Matches service_supervisor.cpp. */
interface Failure {
  failed: true;
  name: string;
  message: string;
  stack: string;
  outOfBand: boolean;
}

/**
 * `svc.background.service`. The host decides when a service runs; here is what one run is: it starts, it ends, and what
 * escapes from its callbacks fails it.
 */
export function buildService(runtime: HostRuntime, api: PluginApi, log: CoreLog) {
  const definitions = new Map<string, Definition>();
  const runs = new Map<string, Run>();

  runtime.handle("service.run", (name) => startRun(name));
  runtime.handle("service.stop", async (name) => {
    const run = runs.get(name);
    if (run !== undefined) {
      run.live = false;
      run.controller.abort();
      await run.settled;
    }
    return undefined;
  });
  // A whole turn of the event loop: the first callback still belongs to the present one.
  runtime.handle("service.turn", () => new Promise((resolve) => setImmediate(() => setImmediate(resolve, undefined))));

  function startRun(name: string): Promise<string> {
    return new Promise((answer) => {
      const run: Run = { controller: new AbortController(), live: true, settled: Promise.resolve() };
      runs.set(name, run);
      const fail = (error: unknown, outOfBand: boolean): boolean => {
        if (!run.live) {
          return false;
        }
        run.live = false;
        answer(stringify(failure(runtime, error, outOfBand)));
        return true;
      };
      const follow = async (): Promise<void> => {
        try {
          await definitions.get(name)?.start(run.controller.signal);
        } catch (error) {
          if (!fail(error, false) && !isAbort(error)) {
            log.failure(`service "${name}" failed while it was stopping`, error);
          }
        }
        run.live = false;
        answer("{}");
      };
      run.settled = runtime.attribute((error) => fail(error, true), follow);
    });
  }

  return api.guard(MEMBER, (name: unknown, definition: unknown): void => {
    const key = checkName(api.fail, MEMBER, name);
    const service = checkObject(api.fail, MEMBER, definition, "the service");
    checkFunction(api.fail, MEMBER, service.start, "start");
    // An instance of a class keeps its own state in fields of its own.
    if (Object.getPrototypeOf(service) === Object.prototype) {
      ignoreUnknownFields(api.problem, MEMBER, service, ["start"], "the service");
    }
    if (definitions.has(key)) {
      api.fail(MEMBER, `duplicate name "${key}"`);
    }
    definitions.set(key, service as unknown as Definition);
    runtime.callSync("service.register", key);
  });
}

function failure(runtime: HostRuntime, error: unknown, outOfBand: boolean): Failure {
  const about = { failed: true as const, outOfBand, name: "", stack: runtime.formatStack(error) };
  try {
    const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
    if (name === "NeedsConfigurationError") {
      return { ...about, name, message: String(message ?? "") };
    }
    return { ...about, message: describeError(error) };
  } catch {
    return { ...about, message: "a value that cannot be described was thrown" };
  }
}

function isAbort(error: unknown): boolean {
  try {
    return (error as { name?: unknown } | null | undefined)?.name === "AbortError";
  } catch {
    return false;
  }
}
