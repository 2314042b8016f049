import ChevronRight from "lucide-react/icons/chevron-right";
import Ellipsis from "lucide-react/icons/ellipsis";
import { useMemo } from "react";
import { Link, NavLink } from "react-router";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { PluginThreadListProps } from "#sdk/app/slots/exclusive.js";

import { useThreadSections } from "@/api/thread_sections";
import { paths, useRouteContext } from "@/lib/navigation";
import { useIsCompact } from "@/lib/viewport";
import { ExclusiveSlot } from "@/plugins/exclusive";
import { useThreadRowStatuses } from "@/plugins/registry";
import { split } from "@/plugins/split";
import { Icon } from "@/sdk_app/icon";
import { threadName } from "@/sdk_app/thread_records";
import { usePinOrder, useThreadLists } from "@/sdk_app/threads_data";
import { sidebar } from "@/shell/sidebar_state";
import { useFoldedGroups } from "@/threads/folded_groups";
import { groupThreads, type ThreadGroup } from "@/threads/thread_groups";
import { ThreadIndicator } from "@/threads/thread_indicator";
import { ThreadDialogs, ThreadMenuItems, useThreadDialog } from "@/threads/thread_menu";
import { cn } from "@/ui/cn";
import { ContextMenu, ContextMenuContent, ContextMenuItem, ContextMenuSeparator, ContextMenuTrigger } from "@/ui/context_menu";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger } from "@/ui/dropdown_menu";
import { kRowClass } from "./row_class";

type ThreadListProps = Omit<PluginThreadListProps, "Original" | "experimental_Original">;

const onNavigate = () => sidebar.setDrawerOpen(false);
/** Rows of a group in the sidebar; its page has all of them. */
const kShownPerGroup = 50;

/** The scrolling list of threads, or what a plugin puts in its place. */
export function ThreadList() {
  const isCompactViewport = useIsCompact();
  const { threadId, projectId: named } = useRouteContext();
  const { threads } = useThreadLists();
  const projectId = named ?? threads.find(({ id }) => id === threadId)?.projectId ?? null;
  const props = useMemo<ThreadListProps>(
    () => ({ activeThreadId: threadId, activeProjectId: projectId, isCompactViewport, searchQuery: "", onNavigate }),
    [threadId, projectId, isCompactViewport],
  );
  return <ExclusiveSlot kind="threadLists" props={props} original={BuiltInList} />;
}

function BuiltInList() {
  const { status, threads, projects } = useThreadLists();
  const sections = useThreadSections().data;
  const pinned = usePinOrder();
  const [folded, toggle] = useFoldedGroups();
  const groups = useMemo(
    () => groupThreads(threads, { projects, sections: sections ?? [], pinned }).filter(({ kind }) => kind !== "archived"),
    [threads, projects, sections, pinned],
  );
  return (
    <section aria-labelledby="sidebar-threads" className="flex flex-col gap-1">
      <p id="sidebar-threads" className="px-2 pt-1 text-xs font-medium text-muted-foreground">
        <Link to={paths.threads()} className="rounded-sm hover:text-foreground hover:underline">
          Threads
        </Link>
      </p>
      {groups.length === 0 && <p className="px-2 py-1 text-sm text-pretty text-subtle-foreground">{kEmptyTexts[status]}</p>}
      {/* A heading alone says nothing that the one above does not. */}
      {groups.map((group) =>
        groups.length === 1 ? (
          <Rows key={group.key} group={group} labelledBy="sidebar-threads" />
        ) : (
          <Group key={group.key} group={group} isFolded={folded(group)} onToggle={() => toggle(group)} />
        ),
      )}
    </section>
  );
}

const kEmptyTexts = {
  loading: "Loading…",
  ready: "No threads yet. What you start with an agent is listed here.",
  error: "The threads could not be loaded. They appear when the server answers again.",
};

function Group({ group, isFolded, onToggle }: { group: ThreadGroup; isFolded: boolean; onToggle(): void }) {
  const headingId = `sidebar-threads-${group.key}`;
  return (
    <div className="flex flex-col">
      <button
        type="button"
        id={headingId}
        aria-expanded={!isFolded}
        onClick={onToggle}
        className="flex min-h-6 min-w-0 cursor-pointer items-center gap-1 rounded-md px-1 text-left text-xs text-muted-foreground hover:bg-state-hover pointer-coarse:min-h-11"
      >
        <ChevronRight aria-hidden className={cn("size-3 shrink-0 transition-transform", !isFolded && "rotate-90")} />
        <span className="truncate">{group.title}</span>
      </button>
      {!isFolded && <Rows group={group} labelledBy={headingId} />}
    </div>
  );
}

function Rows({ group: { threads }, labelledBy }: { group: ThreadGroup; labelledBy: string }) {
  return (
    <ul data-sidebar="menu" aria-labelledby={labelledBy} className="flex flex-col gap-px">
      {threads.slice(0, kShownPerGroup).map((thread) => (
        <ThreadRow key={thread.id} thread={thread} />
      ))}
      {threads.length > kShownPerGroup && (
        <li>
          <Link to={paths.threads()} className={cn(kRowClass, "text-muted-foreground")} onClick={onNavigate}>
            {threads.length - kShownPerGroup} more
          </Link>
        </li>
      )}
    </ul>
  );
}

function ThreadRow({ thread }: { thread: PluginSidebarThread }) {
  const statuses = useThreadRowStatuses(thread.id);
  const [dialog, setDialog] = useThreadDialog();
  const name = threadName(thread);
  return (
    <li data-sidebar="menu-item" data-sidebar-thread-id={thread.id}>
      <ContextMenu>
        <ContextMenuTrigger asChild>
          <div className="group/item relative flex items-center">
            <NavLink
              to={paths.thread(thread.id)}
              className={cn(kRowClass, "pr-8 pointer-coarse:pr-12")}
              onKeyDown={(event) => {
                if (event.altKey && event.key === "Enter") {
                  event.preventDefault();
                  split.openThread(thread.id);
                }
              }}
              // Control, Meta and Shift keep what a browser does with links.
              onClick={(event) => {
                if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
                  event.preventDefault();
                  split.openThread(thread.id);
                }
                onNavigate();
              }}
              aria-keyshortcuts="Alt+Enter"
            >
              <ThreadIndicator thread={thread} />
              <span className={cn("min-w-0 flex-1 truncate", thread.isUnread && "font-medium")}>{name}</span>
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
            <DropdownMenu>
              <DropdownMenuTrigger asChild>
                <button
                  type="button"
                  aria-label={`More for ${name}`}
                  className="absolute right-1 inline-flex size-6 cursor-pointer items-center justify-center rounded-sm text-muted-foreground opacity-0 group-hover/item:opacity-100 hover:bg-state-active hover:text-foreground focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:size-11 pointer-coarse:opacity-100"
                >
                  <Ellipsis aria-hidden className="size-4" />
                </button>
              </DropdownMenuTrigger>
              <DropdownMenuContent align="start">
                <ThreadMenuItems thread={thread} Item={DropdownMenuItem} separator={<DropdownMenuSeparator />} onDialog={setDialog} />
              </DropdownMenuContent>
            </DropdownMenu>
          </div>
        </ContextMenuTrigger>
        <ContextMenuContent>
          <ThreadMenuItems thread={thread} Item={ContextMenuItem} separator={<ContextMenuSeparator />} onDialog={setDialog} />
        </ContextMenuContent>
      </ContextMenu>
      <ThreadDialogs thread={thread} dialog={dialog} onClose={() => setDialog(null)} />
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
