import Ellipsis from "lucide-react/icons/ellipsis";
import Folder from "lucide-react/icons/folder";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";

import { useHosts } from "@/api/hosts";
import { addSource, changeSource, type Project, type ProjectSource, removeSource } from "@/api/projects";
import { focusMain } from "@/lib/main_region";
import { notify } from "@/lib/notifications";
import { failureText } from "@/pages/plugins/actions";
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
  IconButton,
  Section,
} from "@/ui";

import { PlaceDialog } from "./place_dialog";
import { machineName } from "./places";

/** The folders of a project: more of them, other ones, which one is used unless another is asked for. */
export function SourcesSection({ project }: { project: Project }) {
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="Folders"
      description="The default one is used where nothing else is chosen."
      actions={
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden />
          Add folder
        </Button>
      }
    >
      <Card>
        <ul aria-label="Folders" className="divide-y divide-border-hairline">
          {project.sources.map((source) => (
            <SourceRow key={source.id} source={source} isOnly={project.sources.length === 1} />
          ))}
        </ul>
      </Card>
      {isAdding && (
        <PlaceDialog
          onOpenChange={setAdding}
          title={`Add a folder to ${project.name}`}
          description="A folder belongs to one project."
          submitLabel="Add folder"
          onSubmit={(place) => addSource(project.id, place)}
        />
      )}
    </Section>
  );
}

function SourceRow({ source, isOnly }: { source: ProjectSource; isOnly: boolean }) {
  const hosts = useHosts().data;
  const [isChanging, setChanging] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const makeDefault = () => {
    changeSource(source, { isDefault: true }).catch((error: unknown) =>
      notify({ kind: "error", title: `${source.path} did not become the default`, description: failureText(error) }),
    );
  };
  return (
    <li className="flex min-w-0 items-start gap-3 px-3 py-2.5">
      <Folder aria-hidden className="mt-1 size-4 shrink-0 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <code className="min-w-0 text-xs wrap-anywhere">{source.path}</code>
          {source.isDefault && <Badge>Default</Badge>}
        </div>
        <p className="text-xs text-muted-foreground wrap-anywhere">{machineName(hosts, source.hostId)}</p>
      </div>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <IconButton label={`Actions for ${source.path}`} tooltip={false}>
            <Ellipsis aria-hidden />
          </IconButton>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          {!source.isDefault && <DropdownMenuItem onSelect={makeDefault}>Make default</DropdownMenuItem>}
          <DropdownMenuItem onSelect={() => setChanging(true)}>Change folder…</DropdownMenuItem>
          {!isOnly && (
            <>
              <DropdownMenuSeparator />
              <DropdownMenuItem isDestructive onSelect={() => setRemoving(true)}>
                Remove…
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {isChanging && (
        <PlaceDialog
          onOpenChange={setChanging}
          title="Change the folder"
          description={`On ${machineName(hosts, source.hostId)}. The folder it is now stays as it is.`}
          submitLabel="Change"
          place={source}
          onSubmit={({ path }) => changeSource(source, { path })}
        />
      )}
      <RemoveSourceDialog source={source} open={isRemoving} onOpenChange={setRemoving} />
    </li>
  );
}

function RemoveSourceDialog({ source, open, onOpenChange }: { source: ProjectSource; open: boolean; onOpenChange(open: boolean): void }) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Remove this folder from the project?"
      description={`${source.path} stays as it is on its machine.${source.isDefault ? " Another folder becomes the default." : ""}`}
      confirmLabel="Remove"
      failureTitle="It could not be removed"
      onConfirm={() => removeSource(source)}
      onDone={focusMain}
    />
  );
}
