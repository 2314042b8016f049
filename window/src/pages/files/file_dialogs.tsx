import { useState } from "react";

import { type DirectoryEntry, makeFolder, movePath, removePath } from "@/api/files";
import { FolderPicker } from "@/files/folder_picker";
import { joinPath, nameIssue } from "@/files/path";
import { notify } from "@/lib/notifications";
import { ConfirmDialog, NameDialog } from "@/ui";

interface PlaceProps {
  hostId: string;
  folder: string;
  open: boolean;
  onOpenChange(open: boolean): void;
}
interface EntryProps extends PlaceProps {
  entry: DirectoryEntry | null;
}

export function NewFolderDialog({ hostId, folder, open, onOpenChange }: PlaceProps) {
  return open ? (
    <NameDialog
      title="New folder"
      label="Name"
      initial=""
      confirmLabel="Create folder"
      check={nameIssue}
      onClose={() => onOpenChange(false)}
      onName={(name) => makeFolder(hostId, joinPath(folder, name))}
    />
  ) : null;
}

export function RenameDialog({ hostId, folder, entry, open, onOpenChange }: EntryProps) {
  return open && entry !== null ? (
    <NameDialog
      title={`Rename ${entry.name}`}
      label="Name"
      initial={entry.name}
      confirmLabel="Rename"
      check={nameIssue}
      onClose={() => onOpenChange(false)}
      onName={async (name) => {
        if (name !== entry.name) {
          await movePath(hostId, entry.path, joinPath(folder, name));
        }
      }}
    />
  ) : null;
}

export function MoveDialog({ hostId, folder, entry, open, onOpenChange }: EntryProps) {
  const [failure, setFailure] = useState<unknown>(null);
  if (entry === null) {
    return null;
  }
  const close = (isOpen: boolean) => {
    setFailure(null);
    onOpenChange(isOpen);
  };
  return (
    <FolderPicker
      open={open}
      onOpenChange={close}
      hostId={hostId}
      title={`Move ${entry.name}`}
      description="Into another folder of the same machine."
      confirmLabel="Move here"
      initialPath={folder}
      failure={failure === null ? null : { title: `${entry.name} could not be moved`, error: failure }}
      onPick={async (target) => {
        setFailure(null);
        try {
          await movePath(hostId, entry.path, joinPath(target, entry.name));
          notify({ kind: "success", title: `Moved ${entry.name} to ${target}` });
        } catch (error) {
          setFailure(error);
          throw error;
        }
      }}
    />
  );
}

export function DeleteDialog({ hostId, entry, open, onOpenChange }: EntryProps) {
  if (entry === null) {
    return null;
  }
  const { name, path, kind, isSymlink } = entry;
  const isFolder = kind === "directory" && isSymlink !== true;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Delete ${name}?`}
      description={
        isFolder
          ? `The folder ${path} and everything in it are deleted on the machine. This cannot be undone.`
          : isSymlink === true
            ? `The link ${path} is deleted on the machine; what it leads to stays.`
            : `The file ${path} is deleted on the machine. This cannot be undone.`
      }
      confirmLabel="Delete"
      failureTitle="It could not be deleted"
      onConfirm={async () => {
        await removePath(hostId, path, isFolder);
        notify({ kind: "success", title: `Deleted ${name}` });
      }}
    />
  );
}
