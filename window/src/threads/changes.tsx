import ChevronRight from "lucide-react/icons/chevron-right";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useId, useState } from "react";

import type { DiffFile, DiffPatch, DiffTarget, WorkspaceStatus } from "#sdk/sdk_workspaces.js";

import {
  commitAll,
  refreshEnvironment,
  useDiffFiles,
  useDiffPatch,
  useFollowEnvironment,
  usePullRequest,
  useWorkspace,
} from "@/api/environments";
import { counted } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { Diff } from "@/sdk_app/diff";
import { Badge } from "@/ui/badge";
import { Banner } from "@/ui/banner";
import { Button, IconButton } from "@/ui/button";
import { cn } from "@/ui/cn";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Loading } from "@/ui/spinner";

/** What is checked out, in words. */
export function checkoutText({ checkout }: Pick<WorkspaceStatus, "checkout">): string {
  switch (checkout.kind) {
    case "branch":
      return checkout.branchName;
    case "detached":
      return checkout.headSha === null ? "No branch" : `No branch, at ${checkout.headSha.slice(0, 7)}`;
    case "unborn":
      return checkout.branchName === null ? "Nothing committed yet" : `${checkout.branchName}, nothing committed yet`;
    default:
      return "Unknown branch";
  }
}

function Head({ environmentId, workspace }: { environmentId: string; workspace: WorkspaceStatus }) {
  const { mergeBase } = workspace;
  const pullRequest = usePullRequest(environmentId);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
      <span className="min-w-0 truncate font-medium">{checkoutText(workspace)}</span>
      {mergeBase !== null && (mergeBase.aheadCount > 0 || mergeBase.behindCount > 0) && (
        <span className="text-xs text-muted-foreground">
          {[
            mergeBase.aheadCount > 0 && `${counted(mergeBase.aheadCount, "commit")} ahead of ${mergeBase.mergeBaseBranch}`,
            mergeBase.behindCount > 0 && `${mergeBase.behindCount} behind`,
          ]
            .filter(Boolean)
            .join(", ")}
        </span>
      )}
      {pullRequest !== null && (
        <a href={pullRequest.url} target="_blank" rel="noreferrer" className="text-xs text-link underline-offset-2 hover:underline">
          #{pullRequest.number} {pullRequest.state}
        </a>
      )}
      <IconButton size="sm" label="Look again" className="ml-auto" onClick={() => refreshEnvironment(environmentId)}>
        <RefreshCw aria-hidden />
      </IconButton>
    </div>
  );
}

interface FileProps {
  environmentId: string;
  target: DiffTarget;
  file: DiffFile;
  initial: DiffPatch | undefined;
}

const kKinds: Record<DiffFile["changeKind"], string> = {
  added: "New",
  copied: "Copied",
  deleted: "Deleted",
  modified: "Changed",
  renamed: "Moved",
  type_changed: "Another type",
};

function Patch({ environmentId, target, file, initial }: FileProps) {
  const asked = useDiffPatch(environmentId, target, file.path, { enabled: initial === undefined && file.loadMode !== "too_large" });
  const patch = initial ?? asked.data;
  if (file.binary) {
    return <p className="text-sm text-muted-foreground">A binary file: there are no lines to show.</p>;
  }
  if (file.loadMode === "too_large") {
    return <p className="text-sm text-muted-foreground">The change is too large to be shown here.</p>;
  }
  if (patch === undefined) {
    return asked.error === null ? (
      <Loading label="Loading the change…" />
    ) : (
      <ErrorNotice
        title="The change could not be loaded"
        error={asked.error}
        onRetry={() => void asked.refetch()}
        isRetrying={asked.isFetching}
      />
    );
  }
  return patch === null ? (
    <p className="text-sm text-muted-foreground">The file is no longer different.</p>
  ) : (
    <>
      <Diff patch={patch.patch} path={file.path} />
      {patch.truncated && <p className="text-xs text-muted-foreground">Only its beginning is shown.</p>}
    </>
  );
}

function FileRow(props: FileProps) {
  const { path, previousPath, changeKind, additions, deletions } = props.file;
  const [isOpen, setOpen] = useState(false);
  const bodyId = useId();
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? bodyId : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full min-w-0 cursor-pointer items-center gap-2 rounded-md px-1 text-left text-sm hover:bg-state-hover pointer-coarse:min-h-11"
      >
        <ChevronRight aria-hidden className={cn("size-3.5 shrink-0 text-subtle-foreground transition-transform", isOpen && "rotate-90")} />
        <span className="min-w-0 flex-1 truncate font-mono text-xs" title={path}>
          {previousPath === null ? path : `${previousPath} → ${path}`}
        </span>
        {changeKind !== "modified" && <Badge>{kKinds[changeKind] ?? changeKind}</Badge>}
        <span className="shrink-0 text-xs tabular-nums">
          <span className="text-success-text">+{additions}</span> <span className="text-destructive-text">−{deletions}</span>
        </span>
      </button>
      {isOpen && (
        <div id={bodyId} className="min-w-0 py-1">
          <Patch {...props} />
        </div>
      )}
    </li>
  );
}

function Files({ environmentId, target }: { environmentId: string; target: DiffTarget }) {
  const { data, error, refetch, isFetching } = useDiffFiles(environmentId, target);
  if (data === undefined) {
    return error === null ? (
      <Loading label="Looking at the files…" />
    ) : (
      <ErrorNotice title="The changes could not be read" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
    );
  }
  if (data.outcome !== "available") {
    return <NoWorkspace text={data.outcome === "unavailable" ? data.failure.message : data.message} />;
  }
  if (data.files.length === 0) {
    return <EmptyState title="Nothing has changed" description="What an agent changes here is listed, file by file." />;
  }
  return (
    <>
      <ul aria-label="Changed files" className="flex min-w-0 flex-col">
        {data.files.map((file) => (
          <FileRow
            key={file.path}
            environmentId={environmentId}
            target={target}
            file={file}
            initial={data.initialPatches.find(({ path }) => path === file.path)}
          />
        ))}
      </ul>
      {data.truncated && <p className="text-xs text-muted-foreground">More files differ than are listed.</p>}
    </>
  );
}

function Commit({ environmentId }: { environmentId: string }) {
  const hintId = useId();
  const [message, setMessage] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const commit = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const said = await commitAll(environmentId, message);
      setMessage("");
      notify({ kind: "success", title: said });
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void commit();
      }}
    >
      <div className="flex gap-2">
        <Input
          aria-label="Message of the commit"
          aria-describedby={hintId}
          placeholder="Message; the thread's title without one"
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
        <Button type="submit" isBusy={isBusy}>
          Commit all
        </Button>
      </div>
      <p id={hintId} className="text-xs text-muted-foreground">
        Hooks of the repository, such as pre-commit, do not run.
      </p>
      {failure !== null && <ErrorNotice title="Nothing was committed" error={failure} />}
    </form>
  );
}

function NoWorkspace({ text }: { text: string }) {
  return (
    <Banner title="There are no changes to show" role="status">
      {text}
    </Banner>
  );
}

/** What has changed where a thread works: its branch, the files with their lines, and a commit of all of it. */
export function Changes({ environmentId }: { environmentId: string }) {
  useFollowEnvironment(environmentId);
  const { data, error, refetch, isFetching } = useWorkspace(environmentId);
  const [isWhole, setWhole] = useState(false);
  if (data === undefined) {
    return error === null ? (
      <Loading label="Looking at the workspace…" />
    ) : (
      <ErrorNotice title="The workspace could not be read" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
    );
  }
  if (data.outcome !== "available") {
    return <NoWorkspace text={data.outcome === "unavailable" ? data.failure.message : data.message} />;
  }
  const { workspace } = data;
  const base = workspace.mergeBase?.mergeBaseBranch;
  const target: DiffTarget = isWhole && base !== undefined ? { type: "all", mergeBaseBranch: base } : { type: "uncommitted" };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Head environmentId={environmentId} workspace={workspace} />
      {base !== undefined && (
        <Select
          aria-label="What is compared"
          value={isWhole ? "all" : "uncommitted"}
          options={[
            { value: "uncommitted", label: "Not committed yet" },
            { value: "all", label: `Everything since ${base}` },
          ]}
          onValueChange={(value) => setWhole(value === "all")}
        />
      )}
      {workspace.workingTree.hasUncommittedChanges && <Commit environmentId={environmentId} />}
      <Files key={target.type} environmentId={environmentId} target={target} />
    </div>
  );
}
