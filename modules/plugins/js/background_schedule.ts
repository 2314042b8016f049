import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "./plugin_api";
import { checkFunction, checkName, kindOf } from "./policy/arguments";

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;

const MEMBER = "background.schedule";

interface ScheduleRun {
  readonly signal: AbortSignal;
  readonly scheduledAt: number;
  readonly missed: boolean;
}

interface Definition {
  readonly cron: string;
  readonly fn: (run: ScheduleRun) => unknown;
}

/** `svc.background.schedule`. The host decides when a schedule runs and reads its expression. */
export function buildSchedule(runtime: HostRuntime, api: PluginApi) {
  const definitions = new Map<string, Definition>();

  runtime.handle("schedule", async (meta, _body, call) => {
    const { name, scheduledAt, missed } = parse(meta) as { name: string; scheduledAt: number; missed: boolean };
    const definition = definitions.get(name);
    if (definition === undefined) {
      throw runtime.error("not_found", `plugin "${api.pluginId}" has no schedule "${name}"`);
    }
    await definition.fn({
      get signal() {
        return call.signal;
      },
      scheduledAt,
      missed,
    });
    return undefined;
  });

  function checkCron(value: unknown): string {
    if (typeof value !== "string") {
      api.fail(MEMBER, `the cron expression must be a string, is ${kindOf(value)}`);
    }
    try {
      runtime.callSync("schedule.check", value);
    } catch (error) {
      api.fail(MEMBER, `cron "${value}": ${(error as Error).message}`);
    }
    return value;
  }

  return api.guard(MEMBER, (name: unknown, cron: unknown, fn: unknown): void => {
    const key = checkName(api.fail, MEMBER, name);
    const expression = checkCron(cron);
    checkFunction(api.fail, MEMBER, fn, "the third argument");
    if (definitions.has(key)) {
      api.fail(MEMBER, `duplicate name "${key}"`);
    }
    definitions.set(key, { cron: expression, fn: fn as Definition["fn"] });
    api.setRegistration("schedules", () => [...definitions].map(([each, definition]) => ({ name: each, cron: definition.cron })));
    if (!api.inFactory) {
      runtime.callSync("schedule.registered");
    }
  });
}
