import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { Environment, Host, Thread } from "#sdk/records.js";

/** What a sidebar shows of the records around a thread. */
export interface ThreadSurroundings {
  environments: readonly Environment[];
  hosts: readonly Pick<Host, "id" | "name">[];
}

function indicatorOf(thread: Thread, isUnread: boolean): Pick<PluginSidebarThread, "indicator" | "indicatorLabel"> {
  if (thread.hasPendingInteraction) {
    return { indicator: "waiting-for-input", indicatorLabel: "Waiting for your answer" };
  }
  if (thread.status === "starting" || thread.status === "active" || thread.status === "stopping") {
    return { indicator: "runtime", indicatorLabel: "Running" };
  }
  if (thread.activeBackgroundAgentCount > 0) {
    return { indicator: "background-agent", indicatorLabel: "Agents run in the background" };
  }
  if (!isUnread) {
    return { indicator: "none", indicatorLabel: null };
  }
  return thread.status === "error"
    ? { indicator: "unread-error", indicatorLabel: "Failed, not read yet" }
    : { indicator: "unread-success", indicatorLabel: "Not read yet" };
}

function environmentOf({ id, name, branchName, workspaceProvisionType }: Environment): PluginSidebarThread["environment"] {
  const workspaceKind =
    workspaceProvisionType === "managed-worktree"
      ? "managed-worktree"
      : workspaceProvisionType === "unmanaged"
        ? "unmanaged-worktree"
        : "other";
  return { id, name, branchName, workspaceKind };
}

/** A thread as a sidebar shows it. */
export function sidebarThreadOf(thread: Thread, { environments, hosts }: ThreadSurroundings): PluginSidebarThread {
  const isUnread = thread.latestAttentionAt !== null && thread.latestAttentionAt > (thread.lastReadAt ?? 0);
  const environment = environments.find(({ id }) => id === thread.environmentId);
  const host = hosts.find(({ id }) => id === environment?.hostId);
  return {
    id: thread.id,
    projectId: thread.projectId,
    parentThreadId: thread.parentThreadId,
    providerId: thread.providerId,
    title: thread.title,
    titleFallback: thread.titleFallback,
    status: thread.status,
    sectionId: thread.sectionId,
    originKind: thread.originKind,
    originPluginId: thread.originPluginId,
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
    latestAttentionAt: thread.latestAttentionAt,
    lastReadAt: thread.lastReadAt,
    pinnedAt: thread.pinnedAt,
    archivedAt: thread.archivedAt,
    isPinned: thread.pinnedAt !== null,
    isArchived: thread.archivedAt !== null,
    isUnread,
    hasPendingInteraction: thread.hasPendingInteraction,
    ...indicatorOf(thread, isUnread),
    activity: { workflows: 0, backgroundAgents: thread.activeBackgroundAgentCount, backgroundCommands: 0 },
    host: host === undefined ? null : { id: host.id, name: host.name },
    environment: environment === undefined ? null : environmentOf(environment),
  };
}
