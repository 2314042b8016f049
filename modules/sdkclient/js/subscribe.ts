import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject } from "../../plugins/js/policy/arguments";

interface Notice {
  id?: string;
  changes: string[];
  metadata?: unknown;
}
type Callback = (notice: Notice) => unknown;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
const { setTimeout } = globalThis;

const kMember = "sdk.subscribe";
const kConnection = "realtime:connection";
const kEvents = [
  "thread:changed",
  "project:changed",
  "environment:changed",
  "host:changed",
  "system:changed",
  "system:config-changed",
  kConnection,
];

/**
 * `svc.sdk.subscribe`. Registration "sdk-subscriptions" lists the events somebody waits for; the host's function "sdk.notify"
 * (meta: the event, body: the notice) delivers one.
 */
export function makeSubscribe(runtime: HostRuntime, api: PluginApi): (options: unknown) => () => void {
  const callbacks = new Map<string, Set<Callback>>();

  function announce(): void {
    api.setRegistration("sdk-subscriptions", [...callbacks.keys()].filter((event) => callbacks.get(event)?.size !== 0));
  }

  runtime.handle("sdk.notify", (event, body) => {
    for (const callback of [...(callbacks.get(event) ?? [])]) {
      deliver(callback, parse(body) as Notice);
    }
    return undefined;
  });

  // A callback that throws is a failure of its own and keeps none of the others from being called.
  function deliver(callback: Callback, notice: Notice): void {
    setTimeout(() => void callback(notice), 0);
  }

  return (options) => {
    const { event, callback, selector } = checkObject(api.fail, kMember, options, "the argument");
    if (typeof event !== "string" || !kEvents.includes(event)) {
      api.fail(kMember, `unknown event "${String(event)}"; events are ${kEvents.join(", ")}`);
    }
    const listener = checkFunction(api.fail, kMember, callback, "callback") as unknown as Callback;
    if (selector !== undefined && typeof selector !== "object" && typeof selector !== "function") {
      api.fail(kMember, "selector must be an object or a function");
    }
    // Each subscription is its own, also of one function.
    const own: Callback = (notice) => listener(notice);
    const listeners = callbacks.get(event as string) ?? new Set();
    callbacks.set(event as string, listeners.add(own));
    announce();
    if (event === kConnection) {
      // In the process of the server there is no connection to lose.
      deliver(own, { changes: ["connected"] });
    }
    return () => {
      if (listeners.delete(own)) {
        announce();
      }
    };
  };
}
