import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction } from "../../plugins/js/policy/arguments";
import { reportUnlessServed } from "./served";

type Handler = (payload: unknown) => unknown;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
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
 * `svc.events`. Registration "events" has the ids of the handlers by event name; the host calls each with "events.emit"
 * (meta: the id, body: the payload), so that every failure is counted and logged as its own.
 */
export default function eventsPart(runtime: HostRuntime, api: PluginApi): void {
  const handlers = new Map<number, { name: string; handler: Handler }>();
  let last = 0;

  function idsByName(): Record<string, number[]> {
    const byName: Record<string, number[]> = {};
    for (const [id, { name }] of handlers) {
      (byName[name] ??= []).push(id);
    }
    return byName;
  }

  function announce(): void {
    api.setRegistration("events", idsByName);
  }

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
    handlers.set(id, { name: name as string, handler });
    reportUnlessServed(runtime, api, `events.on("${name as string}")`);
    announce();
    return () => {
      if (handlers.delete(id)) {
        announce();
      }
    };
  }

  runtime.handle("events.emit", (id, payload) => {
    const entry = handlers.get(Number(id));
    const result = entry?.handler(parse(payload));
    // Only the failure of a promise matters; the value does not.
    return Promise.resolve(result).then(() => undefined);
  });

  api.svc.events = { on: api.guard(kMember, on) };
}
