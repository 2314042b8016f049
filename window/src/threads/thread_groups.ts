import type { PluginSidebarProject, PluginSidebarThread } from "#sdk/app/sidebar.js";

import { threadName } from "@/sdk_app/thread_records";

/** Threads under one heading. */
export interface ThreadGroup {
  readonly key: string;
  readonly title: string;
  readonly threads: readonly PluginSidebarThread[];
}

const newestFirst = (a: PluginSidebarThread, b: PluginSidebarThread): number =>
  b.latestAttentionAt - a.latestAttentionAt || b.updatedAt - a.updatedAt;

/** Pinned ones, then those of each project with the newest first, then the archive; groups without threads are left out. */
export function groupThreads(
  threads: readonly PluginSidebarThread[],
  projects: readonly PluginSidebarProject[],
  query = "",
): readonly ThreadGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = threads.filter((thread) => words.every((word) => threadName(thread).toLowerCase().includes(word))).sort(newestFirst);
  const current = found.filter(({ isArchived }) => !isArchived);
  const others = current.filter(({ isPinned }) => !isPinned);
  const known = new Set(projects.map(({ id }) => id));
  return [
    { key: "pinned", title: "Pinned", threads: current.filter(({ isPinned }) => isPinned) },
    ...projects.map(({ id, name }) => ({ key: id, title: name, threads: others.filter(({ projectId }) => projectId === id) })),
    { key: "other", title: "Other projects", threads: others.filter(({ projectId }) => !known.has(projectId)) },
    { key: "archived", title: "Archive", threads: found.filter(({ isArchived }) => isArchived) },
  ].filter((group) => group.threads.length > 0);
}
