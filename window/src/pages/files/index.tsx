import FolderOpen from "lucide-react/icons/folder-open";
import { Link, Navigate, useLocation, useParams, useSearchParams } from "react-router";

import { useFollowHosts, useHosts } from "@/api/hosts";
import { paths } from "@/lib/navigation";
import { Button, EmptyState, ErrorNotice, Loading } from "@/ui";

import { Browser } from "./browser";

/** `/files/:hostId?path=&file=&line=`; without a machine, the server's own. */
export default function FilesPage() {
  const { hostId } = useParams();
  const { search } = useLocation();
  const [query] = useSearchParams();
  const hosts = useHosts();
  useFollowHosts();
  if (hosts.data === undefined) {
    return hosts.isPending ? (
      <Loading label="Loading the machine…" />
    ) : (
      <ErrorNotice className="m-4" title="The machines could not be read" error={hosts.error} onRetry={() => void hosts.refetch()} />
    );
  }
  const host = hosts.data.find(({ id }) => id === hostId);
  const [own] = hosts.data;
  if (hostId === undefined && own !== undefined) {
    return <Navigate to={`${paths.files({ hostId: own.id })}${search}`} replace />;
  }
  if (host === undefined) {
    return (
      <EmptyState
        as="h1"
        icon={<FolderOpen />}
        title={hostId === undefined ? "No machine yet" : "This machine is not known"}
        description={
          hostId === undefined
            ? "The server's own machine appears by itself a moment after the service has started."
            : `No machine has the id “${hostId}”. It may have been removed.`
        }
        actions={
          <Button asChild>
            <Link to={paths.machines()}>All machines</Link>
          </Button>
        }
      />
    );
  }
  const line = Number.parseInt(query.get("line") ?? "", 10);
  return (
    <Browser
      key={host.id}
      hosts={hosts.data}
      host={host}
      folder={query.get("path")}
      file={query.get("file")}
      line={Number.isInteger(line) && line > 0 ? line : null}
    />
  );
}
