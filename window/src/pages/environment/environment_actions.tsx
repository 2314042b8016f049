import Archive from "lucide-react/icons/archive";
import FolderOpen from "lucide-react/icons/folder-open";
import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { Link } from "react-router";

import { archiveThreadsOf, type Environment, environmentName, removeEnvironment, renameEnvironment } from "@/api/environments";
import { navigation, paths } from "@/lib/navigation";
import { Button, ConfirmDialog, NameDialog } from "@/ui";

type Asked = "rename" | "archive" | "remove" | null;

/** What can be done with a workspace as a whole. */
export function EnvironmentActions({ environment }: { environment: Environment }) {
  const { id, hostId, path, name, managed, lifecycle, projectId } = environment;
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  return (
    <div className="flex flex-wrap gap-2">
      {path !== null && (
        <Button asChild>
          <Link to={paths.files({ hostId, folder: path })}>
            <FolderOpen aria-hidden />
            Files
          </Link>
        </Button>
      )}
      <Button onClick={() => setAsked("rename")}>
        <Pencil aria-hidden />
        Rename
      </Button>
      <Button onClick={() => setAsked("archive")}>
        <Archive aria-hidden />
        Archive its threads
      </Button>
      {managed && lifecycle.phase === "active" && (
        <Button onClick={() => setAsked("remove")}>
          <Trash2 aria-hidden />
          Remove
        </Button>
      )}
      {asked === "rename" && (
        <NameDialog
          title="Rename the workspace"
          label="Name"
          initial={name ?? ""}
          confirmLabel="Rename"
          check={() => null}
          onClose={close}
          onName={(wanted) => renameEnvironment(id, wanted.trim() === "" ? null : wanted.trim())}
        />
      )}
      <ConfirmDialog
        open={asked === "archive"}
        onOpenChange={close}
        title="Archive the threads that work here?"
        description="Their agents are stopped. They can be taken out of the archive again."
        confirmLabel="Archive"
        isDestructive={false}
        failureTitle="They could not be archived"
        onConfirm={() => archiveThreadsOf(id)}
      />
      <ConfirmDialog
        open={asked === "remove"}
        onOpenChange={close}
        title={`Remove “${environmentName(environment)}”?`}
        description="Its folder is removed. A worktree with work that is not committed or merged is kept on the machine."
        confirmLabel="Remove"
        failureTitle="It could not be removed"
        onConfirm={() => removeEnvironment(id)}
        onDone={() => navigation.toProject(projectId)}
      />
    </div>
  );
}
