import type { SdkConnectionNotice, SdkNotice, SdkNoticeEvent, SdkSubscription } from "#sdk/sdk_notices.js";
import { realtime, type ConnectionState } from "@/api/realtime";

type Target = Parameters<typeof realtime.watch>[0];

const kConnection = "realtime:connection";
const kConfigChanged = "config-changed";

type Ids = Readonly<Record<string, unknown>>;

/** What the socket is asked for; an id narrows it to one record. */
const kTargets: Readonly<Record<Exclude<SdkNoticeEvent, typeof kConnection>, (ids: Ids) => Target>> = {
  "thread:changed": ({ threadId }) => (typeof threadId === "string" ? { kind: "thread-detail", threadId } : { kind: "thread-list" }),
  "project:changed": ({ projectId }) => (typeof projectId === "string" ? { kind: "project-detail", projectId } : { kind: "project-list" }),
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
  const { event, callback, selector, ...flat }: Partial<SdkSubscription> = options ?? {};
  if (!isEvent(event)) {
    const known = [...Object.keys(kTargets), kConnection].join(", ");
    throw new TypeError(`svc.sdk.subscribe: unknown event "${String(event)}"; events are ${known}`);
  }
  if (typeof callback !== "function") {
    throw new TypeError("svc.sdk.subscribe: callback must be a function");
  }
  // A callback that throws keeps nobody else from being called.
  const deliver = (notice: SdkNotice | SdkConnectionNotice) => {
    try {
      (callback as (notice: SdkNotice | SdkConnectionNotice) => void)(notice);
    } catch (failure) {
      console.error(`a callback of svc.sdk.subscribe("${event}") threw`, failure);
    }
  };
  if (event === kConnection) {
    return subscribeConnection(deliver);
  }
  return realtime.watch(kTargets[event]({ ...selector, ...flat }), ({ entity, id, changes, metadata }) => {
    if (event !== "system:config-changed" || changes.includes(kConfigChanged)) {
      deliver({
        type: "changed",
        entity,
        ...(id === undefined ? {} : { id }),
        changes: [...changes],
        ...(metadata === undefined ? {} : { metadata }),
      });
    }
  });
}

/** The state there is, and every other one after it. */
function subscribeConnection(deliver: (notice: SdkConnectionNotice) => void): () => void {
  let told: ConnectionState | undefined;
  let isOver = false;
  const tell = () => {
    const { state, retryDelayMs } = realtime;
    if (!isOver && told !== state) {
      // The first change to connected is no reconnect, the one after a loss is.
      const reconnected = state === "connected" && told === "reconnecting";
      told = state;
      const waits = retryDelayMs !== null;
      deliver({
        state: state === "connected" ? "connected" : waits ? "disconnected" : "connecting",
        reconnected,
        reconnectDelayMs: retryDelayMs,
      });
    }
  };
  const stop = realtime.subscribeState(tell);
  queueMicrotask(tell);
  return () => {
    isOver = true;
    stop();
  };
}
