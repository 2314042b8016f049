import type { PullRequest } from "../sdk_workspaces.js";

/**
 * What a thread's sidebar row shows most prominently, the most urgent first: `waiting-for-input` (a question to the user), `unread-error`
 * (failed, not read yet), `plan-mode`, `goal`, `workflow`, `background-agent`, `background-command` (such work goes on), `runtime` (a turn
 * runs), `unread-success` (not read yet), `none`. `draft` and `working-draft` are never reported.
 */
export type PluginSidebarThreadIndicator =
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

/** `unmanaged-worktree`: a folder of the user's own that is a git worktree. */
export type PluginSidebarWorkspaceKind = "managed-worktree" | "unmanaged-worktree" | "other";

/** A thread as the sidebar shows it. Times are epoch milliseconds. */
export interface PluginSidebarThread {
  id: string;
  projectId: string;
  /** The thread that it belongs to: archived and deleted with it. */
  parentThreadId: string | null;
  providerId: string;
  /** Null while nobody has named it. */
  title: string | null;
  /** What to show while there is no title. */
  titleFallback: string;
  status: "pending" | "idle" | "starting" | "active" | "stopping" | "error";
  sectionId: string | null;
  /** `fork`: made from another thread. */
  originKind: "fork" | null;
  /** The plugin that created it with `svc.sdk`. */
  originPluginId: string | null;
  createdAt: number;
  updatedAt: number;
  /** The creation, then each end of a turn and each new interaction. */
  latestAttentionAt: number;
  /** Null while it was never read. */
  lastReadAt: number | null;
  pinnedAt: number | null;
  archivedAt: number | null;
  isPinned: boolean;
  isArchived: boolean;
  /** `latestAttentionAt` is later than `lastReadAt`. */
  isUnread: boolean;
  hasPendingInteraction: boolean;
  /** The most urgent one; `draft` and `working-draft` are never reported. */
  indicator: PluginSidebarThreadIndicator;
  /** What the indicator says, for people; null for `none`. */
  indicatorLabel: string | null;
  activity: PluginSidebarThreadActivity;
  /** The machine it works on; null while it has no environment, and when the machine is not known. */
  host: { id: string; name: string } | null;
  environment: {
    id: string | null;
    name: string | null;
    branchName: string | null;
    workspaceDisplayKind: PluginSidebarWorkspaceKind;
    /** Older name of `workspaceDisplayKind`, with the same value. */
    workspaceKind: PluginSidebarWorkspaceKind;
  } | null;
}

/** How many of each run. */
export interface PluginSidebarThreadActivity {
  workflows: number;
  backgroundAgents: number;
  backgroundCommands: number;
  planMode: number;
  goals: number;
}

/** A project of the sidebar. */
export interface PluginSidebarProject {
  id: string;
  name: string;
  /** The one for threads without a project. */
  isPersonal: boolean;
}

/** The visible threads that are not archived, and the archived ones the window happens to know. */
export interface PluginSidebarThreads {
  status: "loading" | "ready" | "error";
  threads: PluginSidebarThread[];
  projects: PluginSidebarProject[];
}
/** What `experimental_useSidebarThreads()` returns. */
export type PluginSidebarThreadsState = PluginSidebarThreads;

/** Those that return a promise show the window's own error toast when they fail, and reject, also for unknown ids. */
export interface PluginSidebarThreadActions {
  /** Ignores unknown ids. `openInSplit` is the same as `split`. */
  open(threadId: string, options?: { split?: boolean; openInSplit?: boolean }): void;
  openNewThread(options?: { projectId?: string; focusPrompt?: boolean }): void;
  rename(threadId: string, title: string): Promise<void>;
  setRead(threadId: string, read: boolean): Promise<void>;
  setPinned(threadId: string, pinned: boolean): Promise<void>;
  /** Takes the children along. */
  archive(threadId: string): Promise<void>;
  unarchive(threadId: string): Promise<void>;
  /** Opens the window's confirmation; resolves when it is on screen. */
  requestDelete(threadId: string): Promise<void>;
}

/** What a row shows of the pull request of a thread's branch. */
export type PluginSidebarPullRequest = Pick<PullRequest, "number" | "title" | "url" | "state" | "attention">;

/** Null: none, or not known. */
export interface PluginSidebarThreadPullRequestState {
  /** True until it was looked up for the first time. */
  isLoading: boolean;
  pullRequest: PluginSidebarPullRequest | null;
}

/** A part of a split content area. */
export interface PluginSidebarSplitPane {
  paneId: string;
  /** Fractions of the split area. */
  rect: { x: number; y: number; width: number; height: number };
  /** It shows the thread that was asked about. */
  isMe: boolean;
  isFocused: boolean;
}

/** How a thread's row opens a split of the content area, and the split that the thread is in. */
export interface PluginSidebarThreadSplit {
  /** Spread on the row: dragging it into the content opens a split. Empty while no split can be opened. */
  splitProps: { onPointerDown?(event: unknown): void };
  /** False on compact viewports, with splits turned off and for unknown ids. */
  isAvailable: boolean;
  /** Null while the thread is in no split. */
  layout: { panes: PluginSidebarSplitPane[] } | null;
}
