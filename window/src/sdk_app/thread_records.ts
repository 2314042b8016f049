import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { Host, Thread } from "#sdk/records.js";

type Indicator = Pick<PluginSidebarThread, "indicator" | "indicatorLabel">;

type Named = Pick<Thread, "title" | "titleFallback"> & { originKind?: Thread["originKind"] };

interface Shown extends Indicator {
  holds(thread: Thread, isUnread: boolean): boolean;
}

/** The first one that holds is shown. */
const kIndicators: readonly Shown[] = [
  { indicator: "waiting-for-input", indicatorLabel: "Waiting for your answer", holds: (thread) => thread.hasPendingInteraction },
  { indicator: "unread-error", indicatorLabel: "Failed, not read yet", holds: (thread, isUnread) => isUnread && thread.status === "error" },
  { indicator: "plan-mode", indicatorLabel: "Plans", holds: ({ activity }) => activity.activePlanModeCount > 0 },
  { indicator: "goal", indicatorLabel: "Works towards a goal", holds: ({ activity }) => activity.activeGoalCount > 0 },
  { indicator: "workflow", indicatorLabel: "A workflow runs", holds: ({ activity }) => activity.activeWorkflowCount > 0 },
  {
    indicator: "background-agent",
    indicatorLabel: "Agents run in the background",
    holds: ({ activity }) => activity.activeBackgroundAgentCount > 0,
  },
  {
    indicator: "background-command",
    indicatorLabel: "Commands run in the background",
    holds: ({ activity }) => activity.activeBackgroundCommandCount > 0,
  },
  { indicator: "runtime", indicatorLabel: "Running", holds: ({ status }) => ["starting", "active", "stopping"].includes(status) },
  { indicator: "unread-success", indicatorLabel: "Not read yet", holds: (_thread, isUnread) => isUnread },
];

/** What a thread is called: by its title, else by how it began. A fork without a title of its own began as its source did. */
export function threadName({ title, titleFallback, originKind = null }: Named): string {
  const began = titleFallback === "" ? "Untitled" : titleFallback;
  return title ?? (originKind === "fork" ? `Fork of ${began}` : began);
}

function indicatorOf(thread: Thread, isUnread: boolean): Indicator {
  const { indicator, indicatorLabel } = kIndicators.find(({ holds }) => holds(thread, isUnread)) ?? {
    indicator: "none",
    indicatorLabel: null,
  };
  return { indicator, indicatorLabel };
}

function environmentOf(thread: Thread): PluginSidebarThread["environment"] {
  const { environmentId: id, environmentName: name, environmentBranchName: branchName } = thread;
  const workspaceDisplayKind = thread.environmentWorkspaceDisplayKind;
  return id === null ? null : { id, name, branchName, workspaceDisplayKind, workspaceKind: workspaceDisplayKind };
}

/** A thread as a sidebar shows it. */
export function sidebarThreadOf(thread: Thread, hosts: readonly Pick<Host, "id" | "name">[]): PluginSidebarThread {
  const isUnread = thread.latestAttentionAt > (thread.lastReadAt ?? 0);
  const host = hosts.find(({ id }) => id === thread.environmentHostId);
  const { activity } = thread;
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
    activity: {
      workflows: activity.activeWorkflowCount,
      backgroundAgents: activity.activeBackgroundAgentCount,
      backgroundCommands: activity.activeBackgroundCommandCount,
      planMode: activity.activePlanModeCount,
      goals: activity.activeGoalCount,
    },
    host: host === undefined ? null : { id: host.id, name: host.name },
    environment: environmentOf(thread),
  };
}
