import { useState } from "react";

import type { PluginRecord } from "@/api/records";
import { notify } from "@/lib/notifications";
import { AlertDialog, ErrorNotice } from "@/ui";

import { rollBackPlugin, type RollbackTarget } from "@/pages/plugins/actions";
import { formatTime } from "@/lib/format";

export interface RollbackDialogProps {
  record: PluginRecord;
  target: RollbackTarget;
  onClose(): void;
}

/** Asks before a plugin returns to the version before its last update, and says what that does to its data. */
export function RollbackDialog({ record, target, onClose }: RollbackDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const rollBack = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const { to, plugin } = await rollBackPlugin(record.id, target);
      const runs = plugin.status === "running" || plugin.status === "disabled";
      notify({
        kind: runs ? "success" : "warning",
        title: `${record.name} was rolled back to ${to}`,
        pluginId: record.id,
        ...(runs || plugin.statusDetail === null ? {} : { description: plugin.statusDetail }),
      });
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog
      open
      onOpenChange={(isOpen) => !isOpen && !isBusy && onClose()}
      title={`Roll ${record.name} back to ${target.version}?`}
      description={`It returns to the version before its last update, with the data it had at ${formatTime(target.takenAt)}.`}
      confirmLabel={`Roll back to ${target.version}`}
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void rollBack()}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>Restored: its settings, secrets, token, stored values, database and schedules.</li>
        <li>Lost: everything it has stored since then.</li>
        <li>What it did elsewhere is not undone.</li>
      </ul>
      {failure !== null && <ErrorNotice title="It could not be rolled back" error={failure} />}
    </AlertDialog>
  );
}
