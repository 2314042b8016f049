import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject, kindOf } from "../../plugins/js/policy/arguments";

interface Notice {
  id?: string;
  changes: string[];
  metadata?: unknown;
}
type Callback = (notice: object) => unknown;

interface Subscription {
  callback: Callback;
  /** Of the only record whose changes are wanted. */
  id: string | undefined;
}

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse } = JSON;
const { setTimeout } = globalThis;

const kMember = "sdk.subscribe";
const kConnection = "realtime:connection";
/** What each event is about, and the member that narrows it to one record. */
const kEvents: { readonly [event: string]: { entity: string; idMember?: string } } = {
  "thread:changed": { entity: "thread", idMember: "threadId" },
  "project:changed": { entity: "project", idMember: "projectId" },
  "environment:changed": { entity: "environment", idMember: "environmentId" },
  "host:changed": { entity: "host", idMember: "hostId" },
  "system:changed": { entity: "system" },
  "system:config-changed": { entity: "system" },
  [kConnection]: { entity: "" },
};

/**
 * `svc.sdk.subscribe`. Registration "sdk-subscriptions" lists the events somebody waits for; the host's function "sdk.notify"
 * (meta: the event, body: the notice) delivers one.
 */
export function makeSubscribe(runtime: HostRuntime, api: PluginApi): (options: unknown) => () => void {
  const subscriptions = new Map<string, Set<Subscription>>();

  function announce(): void {
    api.setRegistration(
      "sdk-subscriptions",
      [...subscriptions.keys()].filter((event) => subscriptions.get(event)?.size !== 0),
    );
  }

  runtime.handle("sdk.notify", (event, body) => {
    const { id, ...rest } = parse(body) as Notice;
    const message = { type: "changed", entity: kEvents[event]?.entity, ...(id === undefined ? {} : { id }), ...rest };
    for (const subscription of [...(subscriptions.get(event) ?? [])]) {
      if (subscription.id === undefined || subscription.id === id) {
        deliver(subscription.callback, { ...message, changes: [...rest.changes] });
      }
    }
    return undefined;
  });

  // A callback that throws is a failure of its own and keeps none of the others from being called.
  function deliver(callback: Callback, notice: object): void {
    setTimeout(() => void callback(notice), 0);
  }

  return (options) => {
    const { event, callback, selector, ...flat } = checkObject(api.fail, kMember, options, "the argument");
    if (typeof event !== "string" || !Object.hasOwn(kEvents, event)) {
      api.fail(kMember, `unknown event "${String(event)}"; events are ${Object.keys(kEvents).join(", ")}`);
    }
    const listener = checkFunction(api.fail, kMember, callback, "callback") as unknown as Callback;
    if (selector !== undefined && typeof selector !== "object" && typeof selector !== "function") {
      api.fail(kMember, "selector must be an object of ids");
    }
    // Each subscription is its own, also of one function.
    const own: Subscription = {
      callback: (notice) => listener(notice),
      id: idOf(event as string, { ...(selector as object | undefined), ...flat }),
    };
    const listeners = subscriptions.get(event as string) ?? new Set();
    subscriptions.set(event as string, listeners.add(own));
    announce();
    if (event === kConnection) {
      // In the process of the server there is no connection to lose.
      deliver(own.callback, { state: "connected", reconnected: false, reconnectDelayMs: null });
    }
    return () => {
      if (listeners.delete(own)) {
        announce();
      }
    };
  };

  function idOf(event: string, members: Record<string, unknown>): string | undefined {
    const { idMember } = kEvents[event] as { idMember?: string };
    const id = idMember === undefined ? undefined : members[idMember];
    if (id !== undefined && id !== null && typeof id !== "string") {
      api.fail(kMember, `${idMember as string} must be text, is ${kindOf(id)}`);
    }
    return (id as string | null | undefined) ?? undefined;
  }
}
