import { useState } from "react";

import { type Host, removeHost } from "@/api/hosts";
import { notify } from "@/lib/notifications";
import { AlertDialog, ErrorNotice } from "@/ui";

export interface RemoveMachineDialogProps {
  host: Host;
  open: boolean;
  onOpenChange(open: boolean): void;
  onRemoved?(): void;
}

/** Asks before a machine is removed, and says what that means. */
export function RemoveMachineDialog({ host, open, onOpenChange, onRemoved }: RemoveMachineDialogProps) {
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
      await removeHost(host.id);
      notify({ kind: "success", title: `Removed ${host.name}` });
      close(false);
      onRemoved?.();
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
      title={`Remove ${host.name}?`}
      description="Plugins can no longer run anything there."
      confirmLabel="Remove"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void remove()}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>Its key stops working at once, and svc-hostd on it ends. Calls that run there fail.</li>
        <li>What plugins keep on the machine stays there. To come back it needs a new join code.</li>
      </ul>
      {failure !== null && <ErrorNotice title="It could not be removed" error={failure} />}
    </AlertDialog>
  );
}
