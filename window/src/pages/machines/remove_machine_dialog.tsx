import { type Host, removeHost } from "@/api/hosts";
import { notify } from "@/lib/notifications";
import { ConfirmDialog } from "@/ui";

export interface RemoveMachineDialogProps {
  host: Host;
  open: boolean;
  onOpenChange(open: boolean): void;
  onRemoved?(): void;
}

/** Asks before a machine is removed, and says what that means. */
export function RemoveMachineDialog({ host, open, onOpenChange, onRemoved }: RemoveMachineDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Remove ${host.name}?`}
      description="Plugins can no longer run anything there, and its files and terminals cannot be seen here any more."
      confirmLabel="Remove"
      failureTitle="It could not be removed"
      onConfirm={async () => {
        await removeHost(host.id);
        notify({ kind: "success", title: `Removed ${host.name}` });
      }}
      {...(onRemoved === undefined ? {} : { onDone: onRemoved })}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>Its key stops working at once, and svc-hostd on it ends. Calls that run there fail.</li>
        <li>What plugins keep on the machine stays there. To come back it needs a new join code.</li>
      </ul>
    </ConfirmDialog>
  );
}
