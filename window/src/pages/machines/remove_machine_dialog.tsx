import { useQuery } from "@tanstack/react-query";

import { allEnvironmentsQuery } from "@/api/environments";
import { type Host, removeHost } from "@/api/hosts";
import { counted } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { useThreadLists } from "@/sdk_app/threads_data";
import { ConfirmDialog } from "@/ui";

export interface RemoveMachineDialogProps {
  host: Host;
  open: boolean;
  onOpenChange(open: boolean): void;
  onRemoved?(): void;
}

/** What cannot go on without the machine; nothing when nobody works there. */
function Work({ hostId }: { hostId: string }) {
  const { threads } = useThreadLists();
  const environments = (useQuery(allEnvironmentsQuery).data ?? []).filter((each) => each.hostId === hostId && each.status !== "destroyed");
  const here = threads.filter(({ host, isArchived }) => host?.id === hostId && !isArchived);
  const running = here.filter(({ status }) => status === "starting" || status === "active").length;
  if (environments.length + here.length === 0) {
    return null;
  }
  return (
    <li>
      {counted(here.length, "thread")}
      {running > 0 && ` (${running} at work)`} and {counted(environments.length, "workspace")} are on it. They cannot go on, also when it
      comes back with a new code; the folders stay there as they are.
    </li>
  );
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
        {open && <Work hostId={host.id} />}
        <li>Its key stops working at once, and svc-hostd on it ends. Calls that run there fail.</li>
        <li>What plugins keep on the machine stays there. To come back it needs a new join code.</li>
      </ul>
    </ConfirmDialog>
  );
}
