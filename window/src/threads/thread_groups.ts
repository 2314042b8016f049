import type { PluginSidebarProject, PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { ThreadSection } from "#sdk/records.js";

import { kPersonalProjectId } from "@/api/projects";
import { threadName } from "@/sdk_app/thread_records";
import { attentionOf } from "./attention";

/** Threads under one heading. */
export interface ThreadGroup {
  readonly key: string;
  readonly kind: "pinned" | "section" | "project" | "archived";
  readonly title: string;
  readonly threads: readonly PluginSidebarThread[];
}

/** What a person wants to see of all threads. */
export type ThreadFilter = "all" | "attention" | "running" | "archived";

export interface GroupOptions {
  readonly projects: readonly PluginSidebarProject[];
  readonly sections?: readonly Pick<ThreadSection, "id" | "name">[];
  /** Of the pinned ones, from first to last. */
  readonly pinned?: readonly string[];
  /** Words of the title. */
  readonly query?: string;
  readonly filter?: ThreadFilter;
  /** Sections without threads are shown too: something is to be put into them. */
  readonly withEmptySections?: boolean;
}

const newestFirst = (a: PluginSidebarThread, b: PluginSidebarThread): number =>
  b.latestAttentionAt - a.latestAttentionAt || b.updatedAt - a.updatedAt;

const kFilters: Record<ThreadFilter, (thread: PluginSidebarThread) => boolean> = {
  all: () => true,
  attention: (thread) => attentionOf(thread) !== null,
  running: ({ isArchived, status }) => !isArchived && ["starting", "active", "stopping"].includes(status),
  archived: ({ isArchived }) => isArchived,
};

/**
 * Pinned ones in their own order, then those of each section and of each project with the newest first, then the archive. Groups
 * without threads are left out.
 */
export function groupThreads(
  threads: readonly PluginSidebarThread[],
  { projects, sections = [], pinned = [], query = "", filter = "all", withEmptySections = false }: GroupOptions,
): readonly ThreadGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = threads
    .filter(kFilters[filter])
    .filter((thread) => words.every((word) => threadName(thread).toLowerCase().includes(word)))
    .sort(newestFirst);
  const current = found.filter(({ isArchived }) => !isArchived);
  const place = ({ id }: PluginSidebarThread) => (pinned.includes(id) ? pinned.indexOf(id) : pinned.length);
  const others = current.filter(({ isPinned }) => !isPinned);
  const knownSections = new Set(sections.map(({ id }) => id));
  const isInSection = ({ sectionId }: PluginSidebarThread) => sectionId !== null && knownSections.has(sectionId);
  const rest = others.filter((thread) => !isInSection(thread));
  const knownProjects = new Set(projects.map(({ id }) => id));
  const groups: ThreadGroup[] = [
    {
      key: "pinned",
      kind: "pinned",
      title: "Pinned",
      threads: current.filter(({ isPinned }) => isPinned).sort((a, b) => place(a) - place(b)),
    },
    ...sections.map(({ id, name }): ThreadGroup => ({
      key: id,
      kind: "section",
      title: name,
      threads: others.filter(({ sectionId }) => sectionId === id),
    })),
    ...projects.map(({ id, name }): ThreadGroup => ({
      key: id,
      kind: "project",
      title: name,
      threads: rest.filter(({ projectId }) => projectId === id),
    })),
    {
      key: kPersonalProjectId,
      kind: "project",
      title: "No project",
      threads: knownProjects.has(kPersonalProjectId) ? [] : rest.filter(({ projectId }) => projectId === kPersonalProjectId),
    },
    {
      key: "other",
      kind: "project",
      title: "Other projects",
      threads: rest.filter(({ projectId }) => !knownProjects.has(projectId) && projectId !== kPersonalProjectId),
    },
    { key: "archived", kind: "archived", title: "Archive", threads: found.filter(({ isArchived }) => isArchived) },
  ];
  return groups.filter((group) => group.threads.length > 0 || (withEmptySections && group.kind === "section"));
}

/** Between which a pinned thread stands after it moved by one; null when it cannot. */
export function pinNeighbours(
  order: readonly string[],
  id: string,
  by: -1 | 1,
): { previousThreadId: string | null; nextThreadId: string | null } | null {
  const from = order.indexOf(id);
  const others = order.filter((other) => other !== id);
  const to = from + by;
  return from === -1 || to < 0 || to > others.length
    ? null
    : { previousThreadId: others[to - 1] ?? null, nextThreadId: others[to] ?? null };
}
