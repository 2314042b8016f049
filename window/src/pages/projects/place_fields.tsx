import { useEffect, useId, useState } from "react";

import { useHosts } from "@/api/hosts";
import { type Place, useFolder } from "@/api/projects";
import { FolderPicker } from "@/files/folder_picker";
import { failureText } from "@/pages/plugins/actions";
import { Button, Select } from "@/ui";
import { TextField } from "@/ui/text_field";

/** Milliseconds without typing after which the machine is asked. */
const kAskAfterMs = 400;

/** The value as it was when it last stayed the same for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), kAskAfterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

interface PlaceFieldsProps {
  place: Place;
  onChange(place: Place): void;
  /** What the service said about the folder; it stands in place of what the machine says. */
  issue: string | null;
  /** The machine stays what it is. */
  isMachineFixed?: boolean;
}

/** A machine and a folder of it, which the machine looks at while it is typed. */
export function PlaceFields({ place, onChange, issue, isMachineFixed = false }: PlaceFieldsProps) {
  const machineId = useId();
  const hosts = useHosts().data ?? [];
  const path = useSettled(place.path.trim());
  const [isPicking, setPicking] = useState(false);
  const folder = useFolder({ hostId: place.hostId, path });
  const isAsked = path === place.path.trim() && path !== "";
  const hint =
    isAsked && folder.isFetching
      ? "Looking for it…"
      : isAsked && folder.data !== undefined && !folder.isError
        ? `Found: ${folder.data}`
        : "The whole path on that machine, such as /srv/shop or ~/shop.";
  return (
    <>
      {!isMachineFixed && (
        <div className="flex min-w-0 flex-col gap-1">
          <label htmlFor={machineId} className="text-sm font-medium">
            Machine
          </label>
          <Select
            id={machineId}
            value={place.hostId}
            onValueChange={(hostId) => onChange({ ...place, hostId })}
            options={hosts.map(({ id, name, status }) => ({ value: id, label: status === "connected" ? name : `${name} (not connected)` }))}
          />
        </div>
      )}
      <TextField
        label="Folder"
        value={place.path}
        onChange={(text) => onChange({ ...place, path: text })}
        placeholder="/srv/shop"
        issue={issue ?? (isAsked && folder.isError && !folder.isFetching ? failureText(folder.error) : null)}
        hint={<span aria-live="polite">{hint}</span>}
      />
      <div>
        <Button disabled={place.hostId === ""} onClick={() => setPicking(true)}>
          Choose folder…
        </Button>
      </div>
      <FolderPicker
        open={isPicking}
        onOpenChange={setPicking}
        hostId={place.hostId}
        title="Choose folder"
        confirmLabel="Use this folder"
        {...(place.path.startsWith("/") ? { initialPath: place.path.trim() } : {})}
        onPick={(chosen) => onChange({ ...place, path: chosen })}
      />
    </>
  );
}

/** The server's own machine, until people choose; "" while none is known. */
export function useFirstMachine(): string {
  return useHosts().data?.[0]?.id ?? "";
}
