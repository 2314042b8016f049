import { useParams } from "react-router";

import { useFollowHosts } from "@/api/hosts";
import { useFollowProjects } from "@/api/projects";

import { ProjectDetail } from "./project_detail";
import { ProjectList } from "./project_list";

/** `/settings/projects`, and one of them. */
export default function ProjectsPage() {
  const { projectId } = useParams();
  useFollowProjects();
  // Folders are on machines, which are named beside them.
  useFollowHosts();
  return projectId === undefined ? <ProjectList /> : <ProjectDetail projectId={projectId} />;
}
