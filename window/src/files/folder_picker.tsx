import { useCallback, useEffect, useState } from "react";

import { cloneDefaultPath } from "@/api/files";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

import { FolderChooser } from "./folder_chooser";

export interface FolderPickerProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  hostId: string;
  title: string;
  description?: string;
  /** A verb: what happens with the folder, such as `Move here`. */
  confirmLabel: string;
  /** Where it begins; default what the service proposes for `projectId`, else the home of the machine's user. */
  initialPath?: string;
  projectId?: string;
  /** Why the last choice was refused. */
  failure?: { title: string; error: unknown } | null;
  /** Closes when it resolves; after a rejection it stays open, and `failure` says why. */
  onPick(path: string): void | Promise<void>;
}

/** Asks for a folder of a machine. */
export function FolderPicker(props: FolderPickerProps) {
  // Every opening begins anew.
  return props.open ? <OpenPicker {...props} /> : null;
}

/** `/a/b/` → `/a/b`. */
export function withoutSlash(path: string): string {
  return path.replace(/(.)\/+$/, "$1");
}

function OpenPicker({
  onOpenChange,
  hostId,
  title,
  description,
  confirmLabel,
  initialPath,
  projectId,
  failure,
  onPick,
}: FolderPickerProps) {
  const [path, setPath] = useState(initialPath === undefined ? "" : `${withoutSlash(initialPath)}/`.replace("//", "/"));
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(initialPath === undefined && projectId !== undefined);
  useEffect(() => {
    if (!isAsking || projectId === undefined) {
      return;
    }
    const controller = new AbortController();
    void cloneDefaultPath(hostId, projectId, controller.signal)
      // Without a proposal the home is as good.
      .then(setPath, () => undefined)
      .then(() => setAsking(false));
    return () => controller.abort();
  }, [isAsking, hostId, projectId]);

  const pick = useCallback(async () => {
    setBusy(true);
    try {
      await onPick(withoutSlash(path));
      onOpenChange(false);
    } catch {
      setBusy(false);
    }
  }, [onPick, onOpenChange, path]);
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={title}
      {...(description === undefined ? {} : { description })}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} disabled={!path.startsWith("/")} onClick={() => void pick()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {isAsking ? <Loading /> : <FolderChooser hostId={hostId} value={path} onChange={setPath} onConfirm={() => void pick()} autoFocus />}
      {failure != null && <ErrorNotice className="mt-3" {...failure} />}
    </Dialog>
  );
}
