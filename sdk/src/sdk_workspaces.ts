import type { Environment, Project, ProjectSource, Thread } from "./records.js";
import type { Call, NotSupported, Ok, OptionalCall, Page, PathEntry, PathQuery } from "./sdk_calls.js";
import type { PromptHistoryEntry, ThreadExecutionOptions } from "./sdk_threads.js";

// Projects and environments of `svc.sdk`.

/**
 * What is checked out: a branch, a commit (`detached`), or a branch without a commit yet (`unborn`). `unknown`: git could not say, for the
 * reason given.
 */
export type GitCheckout =
  | { kind: "branch"; branchName: string; headSha: string | null }
  | { kind: "detached"; headSha: string | null }
  | { kind: "unborn"; branchName: string | null }
  | { kind: "unknown"; reason: string };

/** At most 1,000 branches each. */
export interface GitBranches {
  branches: string[];
  branchesTruncated: boolean;
  remoteBranches: string[];
  remoteBranchesTruncated: boolean;
  /** What the branch that the call named is; null when it named none. */
  selectedBranch: { kind: "local" | "remote" | "missing"; name: string } | null;
}

/** The branches of a project's folder and the state of its checkout. */
export interface ProjectBranches extends GitBranches {
  checkout: GitCheckout;
  /** What git is in the middle of. */
  operation: {
    kind: "none" | "merge" | "rebase" | "cherry-pick" | "revert" | "unknown";
    hasConflicts?: boolean;
    reason?: string;
  };
  /** That of the remote, else `main` or `master`, else the one that is checked out; null when there is none. */
  defaultBranch: string | null;
  originDefaultBranch: string | null;
  defaultWorktreeBaseBranch: string | null;
  /** Where the local default branch stands compared with the remote one; null when one of them is missing. */
  defaultBranchRelation: "equal" | "local-ahead" | "local-behind" | "diverged" | "unknown" | null;
  hasUncommittedChanges: boolean;
}

/** Something that the agent of a project offers after a slash. */
export interface ProjectCommand {
  name: string;
  description: string | null;
  argumentHint: string | null;
  source: "command" | "skill";
  origin: "builtin" | "project" | "user";
  pluginId?: string;
}

/** Goes into an input block as it is. */
export interface ProjectAttachment {
  type: "localFile" | "localImage";
  path: string;
  name: string;
  mimeType?: string;
  sizeBytes: number;
}

/** What a new thread of the project uses when nothing else is said. */
export type ProjectExecutionOptions = Pick<
  ThreadExecutionOptions,
  "providerId" | "model" | "reasoningLevel" | "permissionMode" | "serviceTier"
>;

interface FileContent {
  content: string;
  contentEncoding: "utf8" | "base64";
  mimeType?: string;
  sizeBytes: number;
}

interface OfProject {
  projectId: string;
}
/** Default: the default source of the project. */
interface OnMachine {
  environmentId?: string;
  hostId?: string;
}
type Files = Ok & { files: { name: string; path: string }[]; truncated: boolean };

/** `svc.sdk.projects`: projects, their folders and what is in them. */
export interface SdkProjects {
  /** In sidebar order; the personal project only when asked for. */
  list: OptionalCall<
    { includePersonal?: boolean | string; include?: "threads" },
    (Project & { threads?: Thread[]; defaultExecutionOptions?: ProjectExecutionOptions | null })[]
  >;
  get: Call<OfProject, Project>;
  /** The same machine and path twice is `conflict`. */
  create: Call<{ name: string; source: { type: "local_path"; hostId: string; path: string } }, Project>;
  update: Call<OfProject & { name?: string }, Project>;
  /** Its threads are deleted, folders stay. */
  delete: Call<OfProject, Ok>;
  /** The neighbours at the new place; null: the end. Returns the projects in order. */
  reorder: Call<OfProject & { previousProjectId: string | null; nextProjectId: string | null }, Project[]>;
  /** Paths are relative; what git ignores is left out. */
  files: Call<OfProject & OnMachine & { query?: string; limit?: number | string }, Files>;
  paths: Call<OfProject & OnMachine & PathQuery, Ok & { paths: PathEntry[]; truncated: boolean }>;
  fileContent: Call<OfProject & OnMachine & { path: string }, Ok & FileContent>;
  branches: Call<OfProject & { hostId?: string; query?: string; limit?: number | string; selectedBranch?: string }, Ok & ProjectBranches>;
  /** What the agent offers after a slash. */
  commands: Call<OfProject & OnMachine & { provider: string }, Ok & { commands: ProjectCommand[] }>;
  defaultExecutionOptions: Call<OfProject, ProjectExecutionOptions | null>;
  promptHistory: Call<OfProject & { limit?: number | string }, PromptHistoryEntry[]>;
  readonly sources: {
    add: Call<
      OfProject &
        ({ type: "local_path"; hostId: string; path: string } | { type: "clone"; hostId: string; remoteUrl?: string; targetPath?: string }),
      ProjectSource
    >;
    update: Call<OfProject & { sourceId: string; type: "local_path"; path?: string; isDefault?: true }, ProjectSource>;
    /** The last one cannot be deleted. */
    delete: Call<OfProject & { sourceId: string }, Ok>;
  };
  readonly attachments: {
    /** At most 25 MB, an image 10 MB. */
    upload: Call<
      OfProject & {
        clientFile:
          Blob | ArrayBuffer | Uint8Array | { readonly name: string; readonly type?: string; arrayBuffer(): Promise<ArrayBuffer> };
        filename?: string;
        mimeType?: string;
      },
      ProjectAttachment
    >;
    read: Call<OfProject & { path: string }, { bytes: Uint8Array; mimeType: string; sizeBytes: number }>;
    copy: Call<OfProject & { sourceProjectId: string; paths: string[] }, Ok>;
  };
  sidebarBootstrap: NotSupported;
}

/** Why there is nothing to say about the folder of an environment. */
export type WorkspaceUnavailable =
  | { outcome: "not_applicable"; reason: "non_git_environment"; message: string }
  | {
      outcome: "unavailable";
      failure: {
        code:
          | "path_not_found"
          | "not_git_repo"
          | "not_worktree"
          | "workspace_type_mismatch"
          | "permission_denied"
          | "unknown_environment"
          | "unknown";
        workspacePath: string;
        message: string;
      };
    };

/** A changed file of a workspace. */
export interface WorkspaceFile {
  path: string;
  /** As git's letters: modified, added, deleted, renamed, copied, unmerged; `?` and `??`: untracked. */
  status: "M" | "A" | "D" | "R" | "C" | "U" | "?" | "??";
  /** Lines; null for a binary file and where they were not counted. */
  insertions: number | null;
  /** Lines, as `insertions`. */
  deletions: number | null;
}

/** What git says of the folder of an environment. */
export interface WorkspaceStatus {
  checkout: GitCheckout;
  branch: { currentBranch: string | null; defaultBranch: string };
  workingTree: {
    state: "clean" | "untracked" | "dirty_uncommitted" | "committed_unmerged" | "dirty_and_committed_unmerged";
    hasUncommittedChanges: boolean;
    files: WorkspaceFile[];
    insertions: number;
    deletions: number;
    lineStatsComplete: boolean;
  };
  mergeBase: {
    mergeBaseBranch: string;
    baseRef: string | null;
    aheadCount: number;
    behindCount: number;
    hasCommittedUnmergedChanges: boolean;
    commits: { sha: string; shortSha: string; subject: string; authorName: string; authoredAt: number }[];
    files: WorkspaceFile[];
    insertions: number;
    deletions: number;
    lineStatsComplete: boolean;
  } | null;
}

/** A file of a diff. */
export interface DiffFile {
  path: string;
  /** Where it was before a rename or copy; else null. */
  previousPath: string | null;
  changeKind: "added" | "copied" | "deleted" | "modified" | "renamed" | "type_changed";
  origin: "tracked" | "untracked";
  /** Lines; 0 where they were not counted. */
  additions: number;
  deletions: number;
  binary: boolean;
  /** `auto`: worth loading at once; `on_demand`: binary or long; `too_large`: an untracked file whose lines were not counted. */
  loadMode: "auto" | "on_demand" | "too_large";
}

/** Up to 256 KiB a file. */
export interface DiffPatch {
  path: string;
  patch: string;
  truncated: boolean;
}

/** What is compared. */
export type DiffTarget =
  { type: "uncommitted" } | { type: "branch_committed" | "all"; mergeBaseBranch: string } | { type: "commit"; sha: string };
type DiffTargetQuery = { target: DiffTarget["type"]; mergeBaseBranch?: string; sha?: string };

/** The pull request of an environment's branch, as `gh` tells it. */
export interface PullRequest {
  number: number;
  title: string;
  url: string;
  state: "open" | "draft" | "merged" | "closed";
  /** What it needs most, in one word. */
  attention:
    | "none"
    | "draft"
    | "checks_pending"
    | "checks_failed"
    | "changes_requested"
    | "review_requested"
    | "conflicts"
    | "blocked"
    | "ready_to_merge"
    | "merged"
    | "closed";
  headRefName: string;
  baseRefName: string;
  /** ISO text. */
  updatedAt: string;
  checks: {
    state: "no_checks" | "pending" | "passing" | "failing" | "unknown";
    totalCount: number;
    passedCount: number;
    failedCount: number;
    pendingCount: number;
  };
  review: {
    state: "none" | "review_requested" | "review_required" | "approved" | "changes_requested";
    reviewRequestCount: number;
  };
  mergeability: {
    state: "mergeable" | "conflicts" | "blocked" | "draft" | "unknown";
    mergeable: boolean | null;
    mergeStateStatus: string | null;
  };
}

interface OfEnvironment {
  environmentId: string;
}
type Available<Members> = Ok & (({ outcome: "available" } & Members) | WorkspaceUnavailable);

/** `svc.sdk.environments`: the folders that threads work in, and git in them. */
export interface SdkEnvironments {
  get: Call<OfEnvironment, Environment>;
  list: OptionalCall<Page & { projectId?: string }, Environment[]>;
  listProviders: OptionalCall<{}, PlaceProvider[]>;
  /** Null clears. */
  update: Call<OfEnvironment & { name?: string | null; mergeBaseBranch?: string | null }, Environment>;
  /** Its removal has started. */
  delete: Call<OfEnvironment, Ok & { environment: Environment }>;
  status: Call<OfEnvironment & { mergeBaseBranch?: string }, Available<{ workspace: WorkspaceStatus }>>;
  paths: Call<OfEnvironment & PathQuery, Ok & { paths: PathEntry[]; truncated: boolean }>;
  /** At most 5 MiB. */
  diff: Call<
    OfEnvironment & DiffTargetQuery,
    Available<{
      diff: {
        diff: string;
        /** Files whose change is not in the patch as it is: too large, not to be read, or no UTF-8 text. */
        leftOut?: string[];
        files: string;
        shortstat: string;
        mergeBaseRef: string | null;
        truncated: boolean;
      };
    }>
  >;
  diffFiles: Call<
    OfEnvironment & DiffTargetQuery,
    Available<{
      files: DiffFile[];
      initialPatches: DiffPatch[];
      mergeBaseRef: string | null;
      shortstat: string;
      truncated: boolean;
    }>
  >;
  diffPatch: Call<OfEnvironment & { paths: string[]; target: DiffTarget }, Available<{ patches: DiffPatch[] }>>;
  diffFile: Call<
    OfEnvironment & { path: string; side: "old" | "new"; target: DiffTarget["type"]; mergeBaseRef?: string; sha?: string },
    Ok & FileContent & { path: string }
  >;
  diffBranches: Call<OfEnvironment & { query?: string; limit?: number | string; selectedBranch?: string }, Ok & GitBranches>;
  /** Without `message` from the thread's title. `message` of the answer is a sentence for people. */
  commit: Call<
    OfEnvironment & { message?: string },
    Ok & { action: "commit"; message: string; commitSha: string; commitSubject: string; leftOut?: string[] }
  >;
  /** Read with `gh` on the machine. */
  pullRequest: Call<
    OfEnvironment,
    Ok & ({ outcome: "available"; pullRequest: PullRequest } | { outcome: "absent" } | { outcome: "unavailable"; message: string })
  >;
  archiveThreads: Call<OfEnvironment, Ok & { archivedThreadIds: string[] }>;
  squashMerge: NotSupported;
  markPullRequestDraft: NotSupported;
  markPullRequestReady: NotSupported;
  mergePullRequest: NotSupported;
}

/** What makes machines or environments; none while their registries are named only. */
export interface PlaceProvider {
  id: string;
  displayName: string;
  description: string;
  icon: string;
  pluginId: string;
  availability: { status: "available" } | { status: "setup-required" | "unavailable"; message: string };
}
