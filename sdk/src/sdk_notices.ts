import type { JsonValue } from "./json.js";

/** A `changed` message of the service. */
export interface SdkNotice {
  type: "changed";
  entity: "thread" | "project" | "environment" | "host" | "system" | (string & {});
  /** Absent in changes of order. */
  id?: string;
  /** What changed; ignore kinds you do not know. */
  changes: string[];
  metadata?: JsonValue;
}

/** The connection to the service; inside of the service it is always there. */
export interface SdkConnectionNotice {
  state: "connected" | "connecting" | "disconnected";
  /** It was lost before: fetch again what you show. */
  reconnected: boolean;
  /** Milliseconds until it is tried again; null while nobody waits for that. */
  reconnectDelayMs: number | null;
}

/** What `subscribe` can follow: changes of one kind of record, of the service's configuration, or the connection itself. */
export type SdkNoticeEvent =
  | "thread:changed"
  | "project:changed"
  | "environment:changed"
  | "host:changed"
  | "system:changed"
  | "system:config-changed"
  | "realtime:connection";

/** An id that fits the event narrows it to one record; the others are ignored. They may also stand in `selector`. */
export interface SdkNoticeSelector {
  threadId?: string;
  projectId?: string;
  environmentId?: string;
  hostId?: string;
}

/** What `subscribe` takes: an event, the callback, and the records it is about; without an id all of them. */
export type SdkSubscription = SdkNoticeSelector & { selector?: SdkNoticeSelector } & (
    | { event: "realtime:connection"; callback: (notice: SdkConnectionNotice) => void }
    | { event: Exclude<SdkNoticeEvent, "realtime:connection">; callback: (notice: SdkNotice) => void }
  );
