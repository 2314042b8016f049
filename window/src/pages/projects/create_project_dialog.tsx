import { useId, useState } from "react";

import { createProject, type Place } from "@/api/projects";
import { navigation } from "@/lib/navigation";
import { Input } from "@/ui";

import { PlaceDialog } from "./place_dialog";
import { nameOf } from "./places";
import { kNameMax } from "./project_rename_form";

/** Makes a project from a folder and shows it. */
export function CreateProjectDialog({ open, onOpenChange }: { open: boolean; onOpenChange(open: boolean): void }) {
  // Every opening begins anew.
  return open ? <OpenDialog onOpenChange={onOpenChange} /> : null;
}

function OpenDialog({ onOpenChange }: { onOpenChange(open: boolean): void }) {
  const nameId = useId();
  const [name, setName] = useState("");
  const create = async (place: Place) => {
    const wanted = name.trim();
    const project = await createProject(wanted === "" ? nameOf(place.path) || place.path : wanted, place);
    navigation.toProject(project.id);
  };
  return (
    <PlaceDialog
      onOpenChange={onOpenChange}
      title="New project"
      description="It is made from a folder that is there already."
      submitLabel="Create project"
      onSubmit={create}
    >
      <div className="flex min-w-0 flex-col gap-1">
        <label htmlFor={nameId} className="text-sm font-medium">
          Name
        </label>
        <Input
          id={nameId}
          value={name}
          maxLength={kNameMax}
          onChange={(event) => setName(event.target.value)}
          autoFocus
          autoComplete="off"
          aria-describedby={`${nameId}-hint`}
        />
        <p id={`${nameId}-hint`} className="text-xs text-muted-foreground">
          Empty: the name of the folder.
        </p>
      </div>
    </PlaceDialog>
  );
}
