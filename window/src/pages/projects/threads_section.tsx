import { useState } from "react";
import { Link } from "react-router";

import { type Environment, environmentName, environmentState, removeEnvironment, useEnvironments } from "@/api/environments";
import { useHosts } from "@/api/hosts";
import type { Project } from "@/api/projects";
import { navigation, paths } from "@/lib/navigation";
import { useThreadLists } from "@/sdk_app/threads_data";
import { Changes } from "@/threads/changes";
import { ThreadRow } from "@/threads/thread_row";
import { Badge, Button, Card, ConfirmDialog, Section } from "@/ui";

import { machineName } from "./places";

/** The threads of a project that are not in the archive, newest first. */
export function ThreadsSection({ project }: { project: Project }) {
  const { threads } = useThreadLists();
  const own = threads
    .filter(({ projectId, isArchived }) => projectId === project.id && !isArchived)
    .sort((a, b) => b.latestAttentionAt - a.latestAttentionAt);
  return (
    <Section
      title="Threads"
      actions={<Button onClick={() => navigation.toCompose({ projectId: project.id, focusPrompt: true })}>New thread</Button>}
    >
      {own.length === 0 ? (
        <p className="text-sm text-muted-foreground">Nobody works on this project now.</p>
      ) : (
        <Card>
          <ul aria-label="Threads of the project" className="divide-y divide-border-hairline">
            {own.map((thread) => (
              <ThreadRow key={thread.id} thread={thread} />
            ))}
          </ul>
        </Card>
      )}
    </Section>
  );
}

function EnvironmentRow({ environment }: { environment: Environment }) {
  const { id, hostId, path, status, statusDetail, managed, lifecycle } = environment;
  const hosts = useHosts({ enabled: false }).data;
  const [isOpen, setOpen] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const state = environmentState(environment);
  return (
    <li className="flex min-w-0 flex-col gap-3 px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
        <Link to={paths.environment(id)} className="min-w-0 font-medium wrap-anywhere underline-offset-2 hover:underline">
          {environmentName(environment)}
        </Link>
        {state !== null && <Badge tone={status === "error" ? "error" : "neutral"}>{state}</Badge>}
        <span className="min-w-0 flex-1 truncate text-xs text-muted-foreground" title={path ?? undefined}>
          {[machineName(hosts, hostId), path].filter(Boolean).join(" · ")}
        </span>
        {status === "ready" && (
          <Button size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide changes" : "Changes"}
          </Button>
        )}
        {managed && lifecycle.phase === "active" && status !== "destroyed" && (
          <Button size="sm" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      {statusDetail !== null && <p className="text-xs wrap-anywhere text-muted-foreground">{statusDetail}</p>}
      {isOpen && <Changes environmentId={id} />}
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setRemoving}
        title={`Remove “${environmentName(environment)}”?`}
        description="Its folder is removed. A worktree with work that is not committed or merged is kept on the machine."
        confirmLabel="Remove"
        failureTitle="It could not be removed"
        onConfirm={() => removeEnvironment(id)}
      />
    </li>
  );
}

/** Where threads of the project work: its folders and the worktrees that were made for them; nothing while there are none. */
export function EnvironmentsSection({ project }: { project: Project }) {
  const { threads } = useThreadLists();
  // One that was removed below its threads, by the removal of its machine, says so as long as they are there.
  const isWanted = (id: string) => threads.some(({ environment, isArchived }) => environment?.id === id && !isArchived);
  const environments = (useEnvironments(project.id).data ?? []).filter(({ id, status }) => status !== "destroyed" || isWanted(id));
  return environments.length === 0 ? null : (
    <Section title="Workspaces" description="Where the threads of this project work.">
      <Card>
        <ul aria-label="Workspaces" className="divide-y divide-border-hairline">
          {environments.map((environment) => (
            <EnvironmentRow key={environment.id} environment={environment} />
          ))}
        </ul>
      </Card>
    </Section>
  );
}
