import { type Project, renameProject } from "@/api/projects";
import { failureText } from "@/pages/plugins/actions";
import { RenameForm } from "@/ui/rename_form";

/** Characters. */
export const kNameMax = 200;

/** The name of a project in an input. */
export function ProjectRenameForm({ project, onDone }: { project: Project; onDone(): void }) {
  const save = (name: string) => renameProject(project.id, name).then(() => null, failureText);
  return <RenameForm name={project.name} maxLength={kNameMax} onSave={save} onDone={onDone} />;
}
