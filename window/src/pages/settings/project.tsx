import FolderOpen from "lucide-react/icons/folder-open";
import { Link, useParams } from "react-router";

import { useThreadLists } from "@/sdk_app/threads_data";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";
import { Loading } from "@/ui/spinner";

/** `/settings/projects/:projectId`. */
export default function ProjectPage() {
  const { projectId = "" } = useParams();
  const { status, projects } = useThreadLists();
  const project = projects.find(({ id }) => id === projectId);
  if (status === "loading") {
    return <Loading />;
  }
  return (
    <EmptyState
      as="h1"
      icon={<FolderOpen />}
      title={project?.name ?? "This project is not here"}
      description={
        project === undefined
          ? `Nothing called “${projectId}” exists on this server. Projects are not available in this version of the service.`
          : "There is nothing to set for this project."
      }
      actions={
        <Button asChild>
          <Link to="/settings">Settings</Link>
        </Button>
      }
    />
  );
}
