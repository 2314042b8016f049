import FolderOpen from "lucide-react/icons/folder-open";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";

import { useProjects } from "@/api/projects";
import { Page, PageTitle } from "@/ui/page";
import { Button, Card, EmptyState, ErrorNotice, Loading } from "@/ui";

import { CreateProjectDialog } from "./create_project_dialog";
import { ProjectRow } from "./project_row";

/** `/settings/projects`: every project, in the order people gave them. */
export function ProjectList() {
  const projects = useProjects();
  const [isCreating, setCreating] = useState(false);
  const failure = (title: string) => (
    <ErrorNotice title={title} error={projects.error} onRetry={() => void projects.refetch()} isRetrying={projects.isFetching} />
  );
  return (
    <Page>
      <header className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <PageTitle>Projects</PageTitle>
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            New project
          </Button>
        </div>
        <p className="text-sm text-pretty text-muted-foreground">A project is one or more folders of your machines under one name.</p>
      </header>
      {projects.data !== undefined && projects.isError && failure("The list may be out of date")}
      {projects.data !== undefined ? (
        projects.data.length === 0 ? (
          <EmptyState
            icon={<FolderOpen />}
            as="h2"
            title="No project yet"
            description="Make one from a folder that is on one of your machines. The folder stays as it is."
          />
        ) : (
          <Card>
            <ul aria-label="Projects" className="divide-y divide-border-hairline">
              {projects.data.map((project, index) => (
                <ProjectRow key={project.id} project={project} index={index} all={projects.data} />
              ))}
            </ul>
          </Card>
        )
      ) : projects.isError ? (
        failure("The projects could not be read")
      ) : (
        <Loading label="Loading projects…" />
      )}
      <CreateProjectDialog open={isCreating} onOpenChange={setCreating} />
    </Page>
  );
}
