import FolderOpen from "lucide-react/icons/folder-open";
import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { Link } from "react-router";

import { kPersonalProjectId, type Project, useProjects } from "@/api/projects";
import { formatTime } from "@/lib/format";
import { focusMain } from "@/lib/main_region";
import { navigation, paths } from "@/lib/navigation";
import { Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";
import { CopyButton } from "@/ui/copy_button";
import { Fact, Facts, Page, PageTitle } from "@/ui/page";

import { DeleteProjectDialog } from "./delete_project_dialog";
import { ProjectRenameForm } from "./project_rename_form";
import { SourcesSection } from "./sources_section";
import { EnvironmentsSection, ThreadsSection } from "./threads_section";

/** `/settings/projects/:projectId`. */
export function ProjectDetail({ projectId }: { projectId: string }) {
  const projects = useProjects();
  const project = projects.data?.find(({ id }) => id === projectId);
  if (project !== undefined) {
    return <OneProject project={project} />;
  }
  const back = (
    <Button asChild>
      <Link to={paths.projects()}>All projects</Link>
    </Button>
  );
  if (projectId === kPersonalProjectId) {
    return (
      <EmptyState
        as="h1"
        icon={<FolderOpen />}
        title="Personal"
        description="What belongs to no other project is here. It has no folders, and there is nothing to set."
        actions={back}
      />
    );
  }
  if (projects.isPending) {
    return <Loading label="Loading the project…" />;
  }
  return projects.isError ? (
    <EmptyState
      as="h1"
      icon={<FolderOpen />}
      title="This project cannot be shown"
      description={
        <ErrorNotice
          title="The projects could not be read"
          error={projects.error}
          onRetry={() => void projects.refetch()}
          isRetrying={projects.isFetching}
        />
      }
      actions={back}
    />
  ) : (
    <EmptyState
      as="h1"
      icon={<FolderOpen />}
      title="This project is not known"
      description={`No project has the id “${projectId}”. It may have been deleted.`}
      actions={back}
    />
  );
}

function OneProject({ project }: { project: Project }) {
  const [isRenaming, setRenaming] = useState(false);
  return (
    <Page>
      <header className="flex flex-col gap-4">
        <PageTitle>{project.name}</PageTitle>
        {isRenaming ? (
          <ProjectRenameForm
            project={project}
            onDone={() => {
              setRenaming(false);
              focusMain();
            }}
          />
        ) : (
          <ProjectActions project={project} onRename={() => setRenaming(true)} />
        )}
      </header>
      <ThreadsSection project={project} />
      <SourcesSection project={project} />
      <EnvironmentsSection project={project} />
      <Section title="About this project">
        <Card className="px-4 py-3">
          <Facts>
            <Fact term="Id">
              <span className="flex min-w-0 items-center gap-1">
                <code className="min-w-0 text-xs wrap-anywhere">{project.id}</code>
                <CopyButton text={project.id} label="Copy the id" />
              </span>
            </Fact>
            {project.gitRemoteUrl !== null && (
              <Fact term="Git remote">
                <code className="text-xs wrap-anywhere">{project.gitRemoteUrl}</code>
              </Fact>
            )}
            <Fact term="Created">{formatTime(project.createdAt)}</Fact>
          </Facts>
        </Card>
      </Section>
    </Page>
  );
}

function ProjectActions({ project, onRename }: { project: Project; onRename(): void }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={onRename}>
        <Pencil aria-hidden />
        Rename
      </Button>
      <Button onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden />
        Delete
      </Button>
      <DeleteProjectDialog project={project} open={isDeleting} onOpenChange={setDeleting} onDeleted={() => navigation.toProjects()} />
    </div>
  );
}
