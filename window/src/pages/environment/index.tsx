import FolderGit from "lucide-react/icons/folder-git-2";
import { Link, useParams } from "react-router";

import { type Environment, environmentName, environmentState, useEnvironment, useFollowEnvironment } from "@/api/environments";
import { useFollowHosts, useHosts } from "@/api/hosts";
import { useProjects } from "@/api/projects";
import { ApiError } from "@/lib/api_error";
import { formatTime } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { useThreadLists } from "@/sdk_app/threads_data";
import { Changes } from "@/threads/changes";
import { ThreadRow } from "@/threads/thread_row";
import { Badge, Banner, Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";
import { CopyButton } from "@/ui/copy_button";
import { Fact, Facts, Page, PageTitle } from "@/ui/page";

import { EnvironmentActions } from "./environment_actions";

const kKinds: Record<Environment["workspaceProvisionType"], string> = {
  unmanaged: "A folder of its own, which stays as it is",
  "managed-worktree": "A worktree that the service made and removes",
  personal: "An empty folder that the service made and removes",
  provider: "A place that a plugin made",
};

const kLink = "text-link underline-offset-2 hover:underline";

/** `/environments/:environmentId`: where threads work, what has changed there, and a commit of it. */
export default function EnvironmentPage() {
  const { environmentId = "" } = useParams();
  const { data, error, refetch, isFetching } = useEnvironment(environmentId);
  useFollowEnvironment(environmentId);
  useFollowHosts();
  if (data !== undefined) {
    return <OneEnvironment environment={data} />;
  }
  if (error === null) {
    return <Loading label="Loading the workspace…" />;
  }
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <EmptyState
      as="h1"
      icon={<FolderGit />}
      title={isUnknown ? "This workspace is not known" : "This workspace cannot be shown"}
      description={
        isUnknown ? (
          `No workspace has the id “${environmentId}”. It may have been removed.`
        ) : (
          <ErrorNotice title="The workspace could not be read" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
        )
      }
      actions={
        <Button asChild>
          <Link to={paths.projects()}>All projects</Link>
        </Button>
      }
    />
  );
}

function OneEnvironment({ environment }: { environment: Environment }) {
  const { id, status, statusDetail } = environment;
  const state = environmentState(environment);
  return (
    <Page>
      <header className="flex flex-col gap-4">
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          <PageTitle>{environmentName(environment)}</PageTitle>
          {state !== null && <Badge tone={status === "error" ? "error" : "neutral"}>{state}</Badge>}
        </div>
        {statusDetail !== null && (
          <Banner tone={status === "error" ? "error" : "info"} title={status === "error" ? "It could not be made ready" : undefined}>
            {statusDetail}
          </Banner>
        )}
        <EnvironmentActions environment={environment} />
      </header>
      {status === "ready" && (
        <Section title="Changes">
          <Changes environmentId={id} />
        </Section>
      )}
      <ThreadsSection environmentId={id} />
      <About environment={environment} />
    </Page>
  );
}

function ThreadsSection({ environmentId }: { environmentId: string }) {
  const { threads } = useThreadLists();
  const own = threads.filter(({ environment, isArchived }) => environment?.id === environmentId && !isArchived);
  return (
    <Section title="Threads">
      {own.length === 0 ? (
        <p className="text-sm text-muted-foreground">Nobody works here now.</p>
      ) : (
        <Card>
          <ul aria-label="Threads of the workspace" className="divide-y divide-border-hairline">
            {own.map((thread) => (
              <ThreadRow key={thread.id} thread={thread} />
            ))}
          </ul>
        </Card>
      )}
    </Section>
  );
}

function About({ environment }: { environment: Environment }) {
  const { id, projectId, hostId, path, branchName, baseBranch, workspaceProvisionType, createdAt } = environment;
  const host = useHosts().data?.find((known) => known.id === hostId);
  const project = useProjects().data?.find((known) => known.id === projectId);
  return (
    <Section title="About this workspace">
      <Card className="px-4 py-3">
        <Facts>
          <Fact term="Kind">{kKinds[workspaceProvisionType] ?? workspaceProvisionType}</Fact>
          <Fact term="Project">
            <Link to={paths.project(projectId)} className={kLink}>
              {project?.name ?? projectId}
            </Link>
          </Fact>
          <Fact term="Machine">
            <Link to={paths.machine(hostId)} className={kLink}>
              {host?.name ?? hostId}
            </Link>
          </Fact>
          {path !== null && (
            <Fact term="Folder">
              <span className="flex min-w-0 items-center gap-1">
                <Link to={paths.files({ hostId, folder: path })} className={`min-w-0 font-mono text-xs wrap-anywhere ${kLink}`}>
                  {path}
                </Link>
                <CopyButton text={path} label="Copy the folder" />
              </span>
            </Fact>
          )}
          {branchName !== null && <Fact term="Branch">{baseBranch === null ? branchName : `${branchName}, from ${baseBranch}`}</Fact>}
          <Fact term="Id">
            <span className="flex min-w-0 items-center gap-1">
              <code className="min-w-0 text-xs wrap-anywhere">{id}</code>
              <CopyButton text={id} label="Copy the id" />
            </span>
          </Fact>
          <Fact term="Created">{formatTime(createdAt)}</Fact>
        </Facts>
      </Card>
    </Section>
  );
}
