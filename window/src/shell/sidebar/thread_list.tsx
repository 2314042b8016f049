import { useMemo } from "react";
import { NavLink } from "react-router";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { PluginThreadListProps } from "#sdk/app/slots/exclusive.js";

import { useThreadRowStatuses } from "@/plugins/registry";
import { Icon } from "@/sdk_app/icon";
import { threadName } from "@/sdk_app/thread_records";
import { useThreadLists } from "@/sdk_app/threads_data";
import { ThreadIndicator } from "@/threads/thread_indicator";
import { cn } from "@/ui/cn";

import { ExclusiveSlot } from "@/plugins/exclusive";
import { paths, useRouteContext } from "@/lib/navigation";
import { sidebar } from "@/shell/sidebar_state";
import { useIsCompact } from "@/lib/viewport";
import { kRowClass } from "./row_class";

type ThreadListProps = Omit<PluginThreadListProps, "Original" | "experimental_Original">;

const onNavigate = () => sidebar.setDrawerOpen(false);

/** The scrolling list of threads, or what a plugin puts in its place. */
export function ThreadList() {
  const isCompactViewport = useIsCompact();
  const { threadId, projectId } = useRouteContext();
  const props = useMemo<ThreadListProps>(
    () => ({ activeThreadId: threadId, activeProjectId: projectId, isCompactViewport, searchQuery: "", onNavigate }),
    [threadId, projectId, isCompactViewport],
  );
  return <ExclusiveSlot kind="threadLists" props={props} original={BuiltInList} />;
}

function BuiltInList() {
  const { status, threads } = useThreadLists();
  const shown = useMemo(
    () =>
      threads.filter(({ isArchived }) => !isArchived).sort((a, b) => Number(b.isPinned) - Number(a.isPinned) || b.updatedAt - a.updatedAt),
    [threads],
  );
  return (
    <section aria-labelledby="sidebar-threads" className="flex flex-col gap-1">
      <p id="sidebar-threads" className="px-2 pt-1 text-xs font-medium text-muted-foreground">
        Threads
      </p>
      {shown.length > 0 ? (
        <ul data-sidebar="menu" aria-labelledby="sidebar-threads" className="flex flex-col gap-px">
          {shown.map((thread) => (
            <ThreadRow key={thread.id} thread={thread} />
          ))}
        </ul>
      ) : (
        <p className="px-2 py-1 text-sm text-pretty text-subtle-foreground">{kEmptyTexts[status]}</p>
      )}
    </section>
  );
}

const kEmptyTexts = {
  loading: "Loading…",
  ready: "No threads yet. What you start with an agent is listed here.",
  error: "The threads could not be loaded. They appear when the server answers again.",
};

function ThreadRow({ thread }: { thread: PluginSidebarThread }) {
  const statuses = useThreadRowStatuses(thread.id);
  return (
    <li data-sidebar="menu-item" data-sidebar-thread-id={thread.id}>
      <NavLink to={paths.thread(thread.id)} className={kRowClass} onClick={onNavigate}>
        <ThreadIndicator thread={thread} />
        <span className={cn("min-w-0 flex-1 truncate", thread.isUnread && "font-medium")}>{threadName(thread)}</span>
        {statuses.map((status) => (
          <span
            key={`${status.pluginId}/${status.icon}/${status.label}`}
            title={status.label}
            className={cn("inline-flex", kTones[status.tone ?? "default"])}
          >
            <Icon name={status.icon} pluginId={status.pluginId} size={14} />
            <span className="sr-only">{status.label}</span>
          </span>
        ))}
      </NavLink>
    </li>
  );
}

const kTones = {
  default: "text-muted-foreground",
  success: "text-success-text",
  warning: "text-warning-text",
  running: "animate-pulse text-muted-foreground motion-reduce:animate-none",
  error: "text-destructive-text",
  destructive: "text-destructive-text",
};
