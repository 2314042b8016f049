import { useId, useState } from "react";

import type { PluginRecord } from "@/api/records";
import { notify } from "@/lib/notifications";
import { Checkbox, ConfirmDialog } from "@/ui";

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

  const close = (isOpen: boolean) => {
    if (!isOpen) {
      setPurging(false);
    }
    onOpenChange(isOpen);
  };
  const remove = async () => {
    const { kept } = await removePlugin(record.id, isPurging);
    notify({
      kind: "success",
      title: `Removed ${record.name}`,
      ...(kept.length === 0 ? {} : { description: `Kept: ${kept.join(", ")}. It is found again when ${record.id} is installed again.` }),
    });
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={close}
      title={`Remove ${record.name}?`}
      description="Its settings, secrets, schedules and token are deleted."
      confirmLabel={isPurging ? "Remove with all data" : "Remove"}
      failureTitle="It could not be removed"
      onConfirm={remove}
      {...(onRemoved === undefined ? {} : { onDone: onRemoved })}
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
    </ConfirmDialog>
  );
}
