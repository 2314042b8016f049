/** The end of a load, in the order of the service. */
import type { Generation } from "./generation";
import { kDisposeHook, kDrain, kServiceStop } from "./limits";
import type { Services } from "./services";

const { setTimeout, clearTimeout } = globalThis;

interface Limit {
  name: string;
  ms: number;
}

interface Step {
  name: string;
  run(): Promise<unknown>;
}

const kServices = "stop services";

/** Never rejects: a step that fails or runs out of time is logged and the next one runs. Resolves with what did not stop. */
export async function dispose(load: Generation, services: Services): Promise<string | undefined> {
  const { runtime } = load;
  const stop = (name: string): Promise<void> =>
    within(`service "${name}"`, { name: "serviceStop", ms: kServiceStop }, runtime.invoke("service.stop", name, ""));
  const hookMs = JSON.stringify({ hookMs: kDisposeHook });
  let late: string | undefined;
  const steps: Step[] = [
    { name: "close WebSockets", run: () => load.sockets.closeAll({ code: 1012, reason: "the plugin was reloaded or stopped" }) },
    { name: "dispose host worker", run: async () => load.hosts.end() },
    { name: "abort tool calls", run: () => runtime.invoke("agents.abortTools", "plugin-disposed", "") },
    { name: "interrupt interactions", run: async () => load.interactions.cancelAll("plugin-disposed") },
    {
      name: kServices,
      run: () => {
        services.abortRuns();
        return Promise.all([...services.running].map(stop));
      },
    },
    { name: "run onDispose hooks", run: () => runtime.invoke("plugin.runHooks", hookMs, "") },
    { name: "drain calls", run: () => within("running calls", { name: "drain", ms: kDrain }, load.whenIdle()) },
    { name: "end of the tools", run: () => runtime.invoke("agents.toolsOver", "", "") },
    { name: "close databases", run: () => runtime.invoke("database.close", "", "") },
    { name: "invalidate context", run: () => load.end() },
  ];
  for (const { name, run } of steps) {
    try {
      await run();
    } catch (error) {
      const { message } = error as Error;
      load.log("warn", `dispose, ${name}: ${message}`);
      if (name === kServices) {
        late = message;
      }
    }
  }
  return late;
}

async function within(what: string, { name, ms }: Limit, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not finish within ${ms} ms (limit ${name})`)), ms);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
