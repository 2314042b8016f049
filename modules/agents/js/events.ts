import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction } from "../../plugins/js/policy/arguments";
import { reportUnlessServed } from "./served";

type Handler = (payload: unknown) => unknown;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;
const { Promise } = globalThis;

const kMember = "events.on";
export const kEvents: ReadonlySet<string> = new Set([
  "thread.created",
  "thread.active",
  "thread.archived",
  "thread.unarchived",
  "thread.deleted",
  "thread.idle",
  "thread.failed",
  "turn.failed",
  "interaction.pending",
  "message.queued",
  "message.dispatched",
  "message.cancelled",
  "experimental_host.deleted",
  "experimental_thread.events",
  "experimental_thread.parentChanged",
]);
export const kNeverSent = "experimental_terminal.input";

/**
 * `svc.events`. The host is told of each handler by its id ("events.on", "events.off") and calls each with "events.emit" (meta: the id,
 * body: the payload), so that every failure is counted and logged as its own.
 */
export default function eventsPart(runtime: HostRuntime, api: PluginApi): void {
  const handlers = new Map<number, Handler>();
  let last = 0;

  function on(name: unknown, fn: unknown): () => void {
    if (name === kNeverSent) {
      checkFunction(api.fail, kMember, fn, `the handler of "${kNeverSent}"`);
      api.unsupported(`events.on("${kNeverSent}")`);
      return () => undefined;
    }
    if (typeof name !== "string" || !kEvents.has(name)) {
      api.fail(kMember, `unknown event ${typeof name === "string" ? `"${name}"` : String(name)}; events are ${[...kEvents].join(", ")}`);
    }
    const handler = checkFunction(api.fail, kMember, fn, `the handler of "${name as string}"`) as unknown as Handler;
    const id = ++last;
    const told = stringify({ event: name, id });
    handlers.set(id, handler);
    reportUnlessServed(runtime, api, `events.on("${name as string}")`);
    runtime.callSync("events.on", told);
    return () => {
      if (handlers.delete(id)) {
        runtime.callSync("events.off", told);
      }
    };
  }

  runtime.handle("events.emit", (id, payload) => {
    const result = handlers.get(Number(id))?.(parse(payload));
    // Only the failure of a promise matters; the value does not.
    return Promise.resolve(result).then(() => undefined);
  });

  api.svc.events = { on: api.guard(kMember, on) };
}
