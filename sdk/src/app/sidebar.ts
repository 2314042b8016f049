/** A thread as the sidebar shows it. Times are epoch milliseconds. */
export interface PluginSidebarThread {
  id: string;
  projectId: string;
  parentThreadId: string | null;
  providerId: string;
  title: string | null;
  /** What to show while there is no title. */
  titleFallback: string;
  status: "pending" | "idle" | "starting" | "active" | "stopping" | "error";
  sectionId: string | null;
  originKind: "fork" | null;
  originPluginId: string | null;
  createdAt: number;
  updatedAt: number;
  latestAttentionAt: number | null;
  lastReadAt: number | null;
  pinnedAt: number | null;
  archivedAt: number | null;
  isPinned: boolean;
  isArchived: boolean;
  isUnread: boolean;
  hasPendingInteraction: boolean;
  indicator:
    | "none"
    | "runtime"
    | "plan-mode"
    | "goal"
    | "workflow"
    | "background-agent"
    | "background-command"
    | "waiting-for-input"
    | "draft"
    | "working-draft"
    | "unread-success"
    | "unread-error";
  indicatorLabel: string | null;
  activity: PluginSidebarThreadActivity;
  host: { id: string; name: string } | null;
  environment: {
    id: string;
    name: string;
    branchName: string | null;
    workspaceKind: "managed-worktree" | "unmanaged-worktree" | "other";
  } | null;
}

/** How many of each run. */
export interface PluginSidebarThreadActivity {
  workflows: number;
  backgroundAgents: number;
  backgroundCommands: number;
}

export interface PluginSidebarProject {
  id: string;
  name: string;
  isPersonal: boolean;
}

export interface PluginSidebarThreads {
  status: "loading" | "ready" | "error";
  threads: PluginSidebarThread[];
  projects: PluginSidebarProject[];
}

/** Those that return a promise show the window's own error toast when they fail, and reject. */
export interface PluginSidebarThreadActions {
  open(threadId: string, options?: { openInSplit?: boolean }): void;
  openNewThread(options?: { projectId?: string }): void;
  rename(threadId: string, title: string): Promise<void>;
  setRead(threadId: string, read: boolean): Promise<void>;
  setPinned(threadId: string, pinned: boolean): Promise<void>;
  archive(threadId: string): Promise<void>;
  unarchive(threadId: string): Promise<void>;
  /** Opens the window's confirmation. */
  requestDelete(threadId: string): void;
}

export interface PluginSidebarPullRequest {
  number: number;
  title: string;
  url: string;
  state: "open" | "draft" | "merged" | "closed";
}

export interface PluginSidebarThreadSplit {
  /** Spread on the row: dragging it or a modifier click opens a split. */
  splitProps: { [attribute: string]: unknown };
  layout: { paneId: string; isFocused: boolean }[] | null;
}
