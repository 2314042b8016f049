import { useId, useState } from "react";

import type { PluginRecord } from "@/api/records";
import { notify } from "@/lib/notifications";
import { AlertDialog, Checkbox, ErrorNotice } from "@/ui";

import { removePlugin } from "./actions";
import { isPathSource } from "./status";

export interface RemoveDialogProps {
  record: PluginRecord;
  open: boolean;
  onOpenChange(open: boolean): void;
  onRemoved?(): void;
}

/** Asks before a plugin is removed, and says what stays. */
export function RemoveDialog({ record, open, onOpenChange, onRemoved }: RemoveDialogProps) {
  const checkboxId = useId();
  const [isPurging, setPurging] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const close = (isOpen: boolean) => {
    if (!isOpen) {
      setPurging(false);
      setFailure(null);
    }
    onOpenChange(isOpen);
  };
  const remove = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const { kept } = await removePlugin(record.id, isPurging);
      notify({
        kind: "success",
        title: `Removed ${record.name}`,
        ...(kept.length === 0 ? {} : { description: `Kept: ${kept.join(", ")}. It is found again when ${record.id} is installed again.` }),
      });
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
      title={`Remove ${record.name}?`}
      description="Its settings, secrets, schedules and token are deleted."
      confirmLabel={isPurging ? "Remove with all data" : "Remove"}
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void remove()}
    >
      <ul className="list-disc pl-5 text-sm text-muted-foreground">
        <li>{isPurging ? "Its stored values, database and logs are deleted too." : "Its stored values, database and logs are kept."}</li>
        {isPathSource(record) && (
          <li className="wrap-anywhere">
            The files in <code>{record.rootDir}</code> are not touched.
          </li>
        )}
      </ul>
      <div className="flex items-start gap-1 text-sm">
        <Checkbox id={checkboxId} checked={isPurging} onCheckedChange={(checked) => setPurging(checked === true)} />
        <label htmlFor={checkboxId} className="py-0.5 pointer-coarse:py-3">
          Also delete everything it stored. This cannot be undone.
        </label>
      </div>
      {failure !== null && <ErrorNotice title="It could not be removed" error={failure} />}
    </AlertDialog>
  );
}
