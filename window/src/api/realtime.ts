import { useSyncExternalStore } from "react";

import type { JsonValue } from "#sdk/json.js";

import { url } from "@/lib/address";
import { browserRealtime, type RealtimeDeps } from "./realtime_browser";
import { RealtimeClient } from "./realtime_client";
import type { PluginStatus } from "./records";

export type ConnectionState = "connecting" | "connected" | "reconnecting";

/** What a window can watch for `changed` messages. */
export type ChangeTarget =
  | { kind: "thread-list" | "project-list" | "environment-list" | "host-list" | "system" }
  | { kind: "thread-detail"; threadId: string }
  | { kind: "project-detail"; projectId: string }
  | { kind: "environment-detail"; environmentId: string }
  | { kind: "host-detail"; hostId: string };

/** Kinds of change that are not known are to be ignored. */
export interface ChangedMessage {
  entity: "thread" | "project" | "environment" | "host" | "system" | (string & {});
  id?: string;
  changes: readonly string[];
  metadata?: JsonValue;
}

/** An entry of the complete list that `plugins-changed` carries. */
export interface PluginSummary {
  id: string;
  status: PluginStatus;
  /** Of the bundle. */
  hash: string | null;
}

/** `threads.open`: the thread, and the file that is to be shown beside it. */
export interface ThreadOpenRequest {
  threadId: string;
  file: { source: "workspace" | "thread-storage"; path: string; lineNumber: number | null } | null;
}

/** The window's one socket. Every function that adds a listener returns what removes it. A listener that throws is logged. */
export interface Realtime {
  readonly state: ConnectionState;
  /** How long the client waits before it connects again, in milliseconds; null while it does not wait. */
  readonly retryDelayMs: number | null;
  subscribeState(listener: () => void): () => void;
  /** Signals that one plugin's server entry publishes on a channel. */
  onSignal(pluginId: string, channel: string, listener: (payload: JsonValue) => void): () => void;
  /** Somebody asks every window to show a thread. */
  onThreadOpen(listener: (request: ThreadOpenRequest) => void): () => void;
  onPluginsChanged(listener: (plugins: PluginSummary[]) => void): () => void;
  /** The socket is open. Nothing is replayed, so what is on screen is to be fetched again. */
  onConnected(listener: (isReconnect: boolean) => void): () => void;
  /** Changes of a target; it is subscribed while at least one listener watches it. */
  watch(target: ChangeTarget, listener: (message: ChangedMessage) => void): () => void;
  /** Whether the server was restarted or replaced since the window was loaded. */
  readonly updateAvailable: boolean;
  /** Idempotent. */
  start(): void;
  /** Closes the socket; `start` opens one again. */
  stop(): void;
}

/** A client over given sockets, clock, random numbers and page events. */
export function createRealtime(deps: RealtimeDeps): Realtime {
  return new RealtimeClient(deps);
}

export const realtime: Realtime = createRealtime(browserRealtime(() => url("/api/v1/ws").replace(/^http/, "ws")));

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(
    (listener) => realtime.subscribeState(listener),
    () => realtime.state,
  );
}

/** Whether a `Reload to update` notice is due. */
export function useUpdateAvailable(): boolean {
  return useSyncExternalStore(
    (listener) => realtime.subscribeState(listener),
    () => realtime.updateAvailable,
  );
}
