import { useQuery } from "@tanstack/react-query";

import { useEnvironment } from "@/api/environments";
import { fetchStorageLocation, useThread } from "@/api/threads";
import { FilePreview } from "@/files/file_preview";
import { joinPath } from "@/files/path";
import type { ThreadFile } from "@/plugins/thread_file";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

interface Place {
  hostId: string;
  root: string;
}

function Preview({ place: { hostId, root }, file: { path, lineNumber } }: { place: Place; file: ThreadFile }) {
  return (
    <FilePreview
      hostId={hostId}
      path={path.startsWith("/") ? path : joinPath(root, path)}
      isSource={lineNumber !== null}
      line={lineNumber}
    />
  );
}

function Nowhere() {
  return <EmptyState title="This thread has no folder now" description="Its files are shown again when its workspace is there." />;
}

function OfWorkspace({ environmentId, file }: { environmentId: string; file: ThreadFile }) {
  const { data: environment, error, refetch } = useEnvironment(environmentId);
  if (environment === undefined) {
    return error === null ? (
      <Loading />
    ) : (
      <ErrorNotice title="The workspace could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  return environment.path === null ? <Nowhere /> : <Preview place={{ hostId: environment.hostId, root: environment.path }} file={file} />;
}

function OfStorage({ threadId, file }: { threadId: string; file: ThreadFile }) {
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
  return <Preview place={{ hostId: data.hostId, root: data.storageRootPath }} file={file} />;
}

/** A tab beside a thread with one of its files. */
export default function ThreadFilePanel({ threadId, file }: { threadId: string; file: ThreadFile }) {
  const { data: thread, error, refetch } = useThread(threadId);
  if (file.source === "thread-storage") {
    return <OfStorage threadId={threadId} file={file} />;
  }
  if (thread === undefined) {
    return error === null ? <Loading /> : <ErrorNotice title="The thread could not be read" error={error} onRetry={() => void refetch()} />;
  }
  return thread.environmentId === null ? <Nowhere /> : <OfWorkspace environmentId={thread.environmentId} file={file} />;
}
