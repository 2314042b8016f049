import { useId, useState } from "react";

import { type DirectoryEntry, makeFolder, movePath, removePath } from "@/api/files";
import { FolderPicker } from "@/files/folder_picker";
import { joinPath, nameIssue } from "@/files/path";
import { notify } from "@/lib/notifications";
import { TextField } from "@/ui/text_field";
import { AlertDialog, Button, Dialog, ErrorNotice } from "@/ui";

const messageOf = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure));

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
      initial=""
      confirmLabel="Create"
      onClose={() => onOpenChange(false)}
      onName={(name) => makeFolder(hostId, joinPath(folder, name))}
    />
  ) : null;
}

export function RenameDialog({ hostId, folder, entry, open, onOpenChange }: EntryProps) {
  return open && entry !== null ? (
    <NameDialog
      title={`Rename ${entry.name}`}
      initial={entry.name}
      confirmLabel="Rename"
      onClose={() => onOpenChange(false)}
      onName={async (name) => {
        if (name !== entry.name) {
          await movePath(hostId, entry.path, joinPath(folder, name));
        }
      }}
    />
  ) : null;
}

interface NameDialogProps {
  title: string;
  initial: string;
  confirmLabel: string;
  onClose(): void;
  onName(name: string): Promise<void>;
}

function NameDialog({ title, initial, confirmLabel, onClose, onName }: NameDialogProps) {
  const formId = useId();
  const [name, setName] = useState(initial);
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    const wrong = nameIssue(name);
    setIssue(wrong);
    if (wrong !== null) {
      return;
    }
    setBusy(true);
    try {
      await onName(name);
      onClose();
    } catch (failure) {
      setIssue(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label="Name" value={name} onChange={setName} issue={issue} autoFocus />
      </form>
    </Dialog>
  );
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
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  if (entry === null) {
    return null;
  }
  const { name, path, kind, isSymlink } = entry;
  const isFolder = kind === "directory" && isSymlink !== true;
  const close = (isOpen: boolean) => {
    setFailure(null);
    onOpenChange(isOpen);
  };
  const remove = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await removePath(hostId, path, isFolder);
      notify({ kind: "success", title: `Deleted ${name}` });
      close(false);
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
      title={`Delete ${name}?`}
      description={
        isFolder
          ? `The folder ${path} and everything in it are deleted on the machine. There is no way back.`
          : isSymlink === true
            ? `The link ${path} is deleted on the machine; what it leads to stays.`
            : `The file ${path} is deleted on the machine. There is no way back.`
      }
      confirmLabel="Delete"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void remove()}
    >
      {failure !== null && <ErrorNotice title="It could not be deleted" error={failure} />}
    </AlertDialog>
  );
}
