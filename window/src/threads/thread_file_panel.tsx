import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { useEnvironment } from "@/api/environments";
import { fetchStorageLocation, useThread } from "@/api/threads";
import { FileView } from "@/files/file_view";
import { OpenWith, useChosenOpener } from "@/files/open_with";
import { joinPath } from "@/files/path";
import { panelSurface } from "@/plugins/right_panel";
import type { ThreadFile } from "@/plugins/thread_file";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

interface Place {
  hostId: string;
  root: string;
  environmentId: string | null;
}

interface Shown {
  threadId: string;
  projectId: string | null;
  file: ThreadFile;
}

/** As a plugin names it: below the folder it was asked for in, where it is there. */
const pathBelow = (root: string, path: string): string =>
  path.startsWith(joinPath(root, "")) ? path.slice(joinPath(root, "").length) : path;

function Preview({ place, threadId, projectId, file }: Shown & { place: Place }) {
  const { path, lineNumber, source } = file;
  const { hostId, root, environmentId } = place;
  const chosen = useChosenOpener(path);
  const told = useMemo(
    () => ({ path: pathBelow(root, path), source: { kind: source, threadId, environmentId, projectId } }),
    [root, path, source, threadId, environmentId, projectId],
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      {chosen.openers.length > 0 && (
        <div className="flex shrink-0 justify-end px-2 py-1">
          <OpenWith {...chosen} />
        </div>
      )}
      <div className="min-h-0 flex-1 overflow-auto">
        <FileView
          hostId={hostId}
          path={path.startsWith("/") ? path : joinPath(root, path)}
          isSource={lineNumber !== null}
          line={lineNumber}
          opener={chosen.opener}
          place={told}
          surface={{ projectId, threadId, panel: panelSurface(`thread:${threadId}`, "threadPanelActions") }}
        />
      </div>
    </div>
  );
}

function Nowhere() {
  return <EmptyState title="This thread has no folder now" description="Its files are shown again when its workspace is there." />;
}

function OfWorkspace({ environmentId, ...shown }: Shown & { environmentId: string }) {
  const { data: environment, error, refetch } = useEnvironment(environmentId);
  if (environment === undefined) {
    return error === null ? (
      <Loading />
    ) : (
      <ErrorNotice title="The workspace could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  return environment.path === null ? (
    <Nowhere />
  ) : (
    <Preview place={{ hostId: environment.hostId, root: environment.path, environmentId }} {...shown} />
  );
}

function OfStorage(shown: Shown) {
  const { threadId } = shown;
  const { data, error, refetch } = useQuery({
    queryKey: ["thread", threadId, "storage-location"],
    queryFn: ({ signal }) => fetchStorageLocation(threadId, signal),
  });
  if (data === undefined) {
    return error === null ? (
      <Loading />
    ) : (
      <ErrorNotice title="The thread’s folder could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  return <Preview place={{ hostId: data.hostId, root: data.storageRootPath, environmentId: null }} {...shown} />;
}

/** A tab beside a thread with one of its files. */
export default function ThreadFilePanel({ threadId, file }: { threadId: string; file: ThreadFile }) {
  const { data: thread, error, refetch } = useThread(threadId);
  const shown: Shown = { threadId, projectId: thread?.projectId ?? null, file };
  if (file.source === "thread-storage") {
    return <OfStorage {...shown} />;
  }
  if (thread === undefined) {
    return error === null ? <Loading /> : <ErrorNotice title="The thread could not be read" error={error} onRetry={() => void refetch()} />;
  }
  return thread.environmentId === null ? <Nowhere /> : <OfWorkspace environmentId={thread.environmentId} {...shown} />;
}
