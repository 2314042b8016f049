import { deleteProject, type Project } from "@/api/projects";
import { notify } from "@/lib/notifications";
import { ConfirmDialog } from "@/ui";

interface DeleteProjectDialogProps {
  project: Project;
  open: boolean;
  onOpenChange(open: boolean): void;
  onDeleted(): void;
}

/** Asks before a project is deleted, and says what goes and what stays. */
export function DeleteProjectDialog({ project, open, onOpenChange, onDeleted }: DeleteProjectDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Delete ${project.name}?`}
      description="This cannot be undone."
      confirmLabel="Delete"
      failureTitle="It could not be deleted"
      onConfirm={async () => {
        await deleteProject(project.id);
        notify({ kind: "success", title: `Deleted ${project.name}` });
      }}
      onDone={onDeleted}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>The project, its place in the list and the files attached in it are deleted.</li>
        <li>{project.sources.length === 1 ? "Its folder stays as it is." : `Its ${project.sources.length} folders stay as they are.`}</li>
      </ul>
    </ConfirmDialog>
  );
}
