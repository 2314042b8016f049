import { useState } from "react";

import { deleteProject, type Project } from "@/api/projects";
import { notify } from "@/lib/notifications";
import { AlertDialog, ErrorNotice } from "@/ui";

interface DeleteProjectDialogProps {
  project: Project;
  open: boolean;
  onOpenChange(open: boolean): void;
  onDeleted(): void;
}

/** Asks before a project is deleted, and says what goes and what stays. */
export function DeleteProjectDialog({ project, open, onOpenChange, onDeleted }: DeleteProjectDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const close = (isOpen: boolean) => {
    setFailure(null);
    onOpenChange(isOpen);
  };
  const remove = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await deleteProject(project.id);
      notify({ kind: "success", title: `Deleted ${project.name}` });
      close(false);
      onDeleted();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog
      open={open}
      onOpenChange={close}
      title={`Delete ${project.name}?`}
      description="This cannot be undone."
      confirmLabel="Delete"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void remove()}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>The project, its place in the list and the files attached in it are deleted.</li>
        <li>{project.sources.length === 1 ? "Its folder stays as it is." : `Its ${project.sources.length} folders stay as they are.`}</li>
      </ul>
      {failure !== null && <ErrorNotice title="It could not be deleted" error={failure} />}
    </AlertDialog>
  );
}
