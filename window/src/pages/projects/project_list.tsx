import Plus from "lucide-react/icons/plus";
import { useState } from "react";

import { useProjects } from "@/api/projects";
import { SettingsPage } from "@/pages/settings/frame";
import { Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

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
    <SettingsPage section="projects" title="Projects">
      <Section
        title="All projects"
        description="A project is one or more folders of your machines under one name."
        actions={
          <Button onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            New project
          </Button>
        }
      >
        {projects.data !== undefined ? (
          <Card>
            {projects.data.length === 0 ? (
              <EmptyState title="No project yet" description="Make one from a folder that is on one of your machines." />
            ) : (
              <ul aria-label="Projects" className="divide-y divide-border-hairline">
                {projects.data.map((project, index) => (
                  <ProjectRow key={project.id} project={project} index={index} all={projects.data} />
                ))}
              </ul>
            )}
          </Card>
        ) : projects.isError ? (
          failure("The projects could not be read")
        ) : (
          <Loading />
        )}
        {projects.data !== undefined && projects.isError && failure("The list may be out of date")}
      </Section>
      <CreateProjectDialog open={isCreating} onOpenChange={setCreating} />
    </SettingsPage>
  );
}
