import type { Thread } from "../src/records";

export function makeThreadResponse(partial: Partial<Thread> = {}): Thread {
  return {
    id: "thr_test",
    projectId: "proj_test",
    environmentId: null,
    providerId: "test",
    title: null,
    titleFallback: "New thread",
    sectionId: null,
    status: "idle",
    parentThreadId: null,
    sourceThreadId: null,
    originKind: null,
    originPluginId: null,
    visibility: "visible",
    hasPendingInteraction: false,
    activeBackgroundAgentCount: 0,
    pinSortKey: null,
    archivedAt: null,
    pinnedAt: null,
    deletedAt: null,
    lastReadAt: null,
    latestAttentionAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...partial,
    runtime: { displayStatus: partial.status ?? "idle", hostReconnectGraceExpiresAt: null, ...partial.runtime },
  };
}
