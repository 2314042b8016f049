import Ellipsis from "lucide-react/icons/ellipsis";
import Folder from "lucide-react/icons/folder";
import { useRef, useState } from "react";
import { Link } from "react-router";

import { useHosts } from "@/api/hosts";
import { type Project, reorderProject } from "@/api/projects";
import { focusMain } from "@/lib/main_region";
import { navigation, paths } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { failureText } from "@/pages/plugins/actions";
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuSeparator, DropdownMenuTrigger, IconButton } from "@/ui";

import { DeleteProjectDialog } from "./delete_project_dialog";
import { ProjectRenameForm } from "./project_rename_form";
import { machineName } from "./places";

/** One project of the list; `index` is its place in `all`. */
export function ProjectRow({ project, index, all }: { project: Project; index: number; all: readonly Project[] }) {
  const [isRenaming, setRenaming] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);

  /** To the place between two neighbours. */
  const moveBetween = (before: Project | undefined, after: Project | undefined) => {
    reorderProject(project.id, before?.id ?? null, after?.id ?? null).catch((error: unknown) =>
      notify({ kind: "error", title: `${project.name} was not moved`, description: failureText(error) }),
    );
  };
  return (
    <li className="flex min-w-0 items-start gap-3 px-3 py-2.5">
      <Folder aria-hidden className="mt-1 size-4 shrink-0 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        {isRenaming ? (
          <ProjectRenameForm
            project={project}
            onDone={() => {
              setRenaming(false);
              menu.current?.focus();
            }}
          />
        ) : (
          <Link to={paths.project(project.id)} className="py-0.5 text-sm font-medium wrap-anywhere hover:underline">
            {project.name}
          </Link>
        )}
        <p className="text-xs text-muted-foreground wrap-anywhere">
          <DefaultFolder project={project} />
        </p>
      </div>
      <DropdownMenu>
        <DropdownMenuTrigger asChild ref={menu}>
          <IconButton label={`Actions for ${project.name}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent
          onCloseAutoFocus={(event) => {
            // The form has the focus already.
            if (isRenaming) {
              event.preventDefault();
            }
          }}
        >
          <DropdownMenuItem onSelect={() => navigation.toProject(project.id)}>Details</DropdownMenuItem>
          <DropdownMenuItem onSelect={() => setRenaming(true)}>Rename…</DropdownMenuItem>
          {index > 0 && <DropdownMenuItem onSelect={() => moveBetween(all[index - 2], all[index - 1])}>Move up</DropdownMenuItem>}
          {index < all.length - 1 && (
            <DropdownMenuItem onSelect={() => moveBetween(all[index + 1], all[index + 2])}>Move down</DropdownMenuItem>
          )}
          <DropdownMenuSeparator />
          <DropdownMenuItem isDestructive onSelect={() => setDeleting(true)}>
            Delete…
          </DropdownMenuItem>
        </DropdownMenuContent>
      </DropdownMenu>
      <DeleteProjectDialog project={project} open={isDeleting} onOpenChange={setDeleting} onDeleted={focusMain} />
    </li>
  );
}

function DefaultFolder({ project: { sources } }: { project: Project }) {
  const hosts = useHosts().data;
  const source = sources.find(({ isDefault }) => isDefault);
  return (
    source !== undefined && (
      <>
        {source.path} · {machineName(hosts, source.hostId)}
        {sources.length > 1 && ` · ${sources.length} folders`}
      </>
    )
  );
}
