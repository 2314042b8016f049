import type { Thread } from "#sdk/records.js";

type Change = Partial<Thread> & { displayStatus?: Thread["runtime"]["displayStatus"]; grace?: number };

export function threadRecord({ displayStatus = "idle", grace, ...more }: Change = {}): Thread {
  return {
    id: "t1",
    projectId: "p1",
    environmentId: null,
    providerId: "agent",
    title: "A thread",
    titleFallback: "Hello",
    sectionId: null,
    status: "idle",
    parentThreadId: null,
    sourceThreadId: null,
    originKind: null,
    childOrigin: null,
    originPluginId: null,
    visibility: "visible",
    canSpawnChild: true,
    hasPendingInteraction: false,
    activeBackgroundAgentCount: 0,
    activity: {
      activeWorkflowCount: 0,
      activeBackgroundAgentCount: 0,
      activeBackgroundCommandCount: 0,
      activePlanModeCount: 0,
      activeGoalCount: 0,
    },
    pinSortKey: null,
    archivedAt: null,
    pinnedAt: null,
    deletedAt: null,
    lastReadAt: 1,
    latestAttentionAt: 1,
    createdAt: 1,
    updatedAt: 1,
    runtime: { displayStatus, hostReconnectGraceExpiresAt: grace ?? null },
    environmentHostId: null,
    environmentName: null,
    environmentBranchName: null,
    environmentWorkspaceDisplayKind: "other",
    ...more,
  };
}
