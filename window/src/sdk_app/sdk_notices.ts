import type { PluginSdk, SdkNotice, SdkNoticeEvent } from "#sdk/sdk_client.js";
import { realtime } from "../api/realtime";

export type SdkSubscription = Parameters<PluginSdk["subscribe"]>[0];

type Target = Parameters<typeof realtime.watch>[0];

const kConnection = "realtime:connection";
const kConfigChanged = "config-changed";

/** What the socket is asked for; a selector with an id narrows it to one record. */
const kTargets: Readonly<Record<Exclude<SdkNoticeEvent, typeof kConnection>, (selector: Record<string, unknown>) => Target>> = {
  "thread:changed": ({ threadId }) => (typeof threadId === "string" ? { kind: "thread-detail", threadId } : { kind: "thread-list" }),
  "project:changed": ({ projectId }) =>
    typeof projectId === "string" ? { kind: "project-detail", projectId } : { kind: "project-list" },
  "environment:changed": ({ environmentId }) =>
    typeof environmentId === "string" ? { kind: "environment-detail", environmentId } : { kind: "environment-list" },
  "host:changed": ({ hostId }) => (typeof hostId === "string" ? { kind: "host-detail", hostId } : { kind: "host-list" }),
  "system:changed": () => ({ kind: "system" }),
  "system:config-changed": () => ({ kind: "system" }),
};

function isEvent(event: unknown): event is SdkNoticeEvent {
  return event === kConnection || (typeof event === "string" && Object.hasOwn(kTargets, event));
}

/** `svc.sdk.subscribe`; see its types. */
export function subscribeNotices(options: SdkSubscription): () => void {
  const { event, callback, selector } = options ?? {};
  if (!isEvent(event)) {
    const known = [...Object.keys(kTargets), kConnection].join(", ");
    throw new TypeError(`svc.sdk.subscribe: unknown event "${String(event)}"; events are ${known}`);
  }
  if (typeof callback !== "function") {
    throw new TypeError("svc.sdk.subscribe: callback must be a function");
  }
  // A callback that throws keeps nobody else from being called.
  const deliver = (notice: SdkNotice) => {
    try {
      callback(notice);
    } catch (failure) {
      console.error(`a callback of svc.sdk.subscribe("${event}") threw`, failure);
    }
  };
  if (event === kConnection) {
    return subscribeConnection(deliver);
  }
  return realtime.watch(kTargets[event](selector ?? {}), ({ id, changes, metadata }) => {
    if (event !== "system:config-changed" || changes.includes(kConfigChanged)) {
      deliver({ changes: [...changes], ...(id === undefined ? {} : { id }), ...(metadata === undefined ? {} : { metadata }) });
    }
  });
}

/** The state there is, and every other one after it. */
function subscribeConnection(deliver: (notice: SdkNotice) => void): () => void {
  let told: string | undefined;
  let isOver = false;
  const tell = () => {
    if (!isOver && told !== realtime.state) {
      told = realtime.state;
      deliver({ changes: [told] });
    }
  };
  const stop = realtime.subscribeState(tell);
  queueMicrotask(tell);
  return () => {
    isOver = true;
    stop();
  };
}
