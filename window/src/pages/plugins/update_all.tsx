import { useState } from "react";

import type { PluginRecord } from "@/api/records";
import { counted } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { createStore, useStore } from "@/lib/store";
import { Button, ConfirmDialog, Spinner } from "@/ui";

import { failureText, shownUpdate, tellUpdate, updatePlugin } from "./actions";
import { availableUpdate } from "./status";

type Update = Pick<PluginRecord, "id" | "name"> & Partial<Pick<PluginRecord, "updateState">>;

/** What is being updated; it goes on when the page is left. Null when nothing is. */
const running = createStore<{ readonly name: string; readonly number: number; readonly of: number } | null>(null);

/** The plugins that "Update all" means: not one whose newer version was rolled back. */
export function updatable(records: readonly PluginRecord[]): PluginRecord[] {
  return records.filter((record) => availableUpdate(record) !== undefined && record.updateState.rolledBack === undefined);
}

/** One after the other, since each is watched; a failure leaves the others their turn. Tells of each, and of all at the end. */
export async function updateAll(updates: readonly Update[]): Promise<void> {
  let failed = 0;
  try {
    for (const [index, update] of updates.entries()) {
      running.set({ name: update.name, number: index + 1, of: updates.length });
      try {
        const result = await updatePlugin(update.id, shownUpdate(update));
        failed += Number(result.outcome === "rolled-back");
        tellUpdate(update, result);
      } catch (error) {
        failed += 1;
        notify({ kind: "error", title: `${update.name} could not be updated`, description: failureText(error), pluginId: update.id });
      }
    }
  } finally {
    running.set(null);
  }
  if (updates.length > 1) {
    const done = counted(updates.length - failed, "plugin");
    notify(
      failed === 0
        ? { kind: "success", title: `${done} updated` }
        : { kind: "error", title: `${done} updated, ${failed} not`, description: "The rows say why." },
    );
  }
}

/** The button, its question, and what goes on. Nothing while no plugin has an update. */
export function UpdateAll({ records }: { records: readonly PluginRecord[] }) {
  const now = useStore(running);
  const [asked, setAsked] = useState<readonly PluginRecord[] | null>(null);
  const updates = updatable(records);
  if (now !== null) {
    return (
      <p role="status" className="flex items-center gap-2 text-sm text-muted-foreground">
        <Spinner className="size-4 shrink-0" />
        Updating {now.name} ({now.number} of {now.of})…
      </p>
    );
  }
  return (
    <>
      {updates.length > 0 && (
        <Button size="sm" variant="primary" onClick={() => setAsked(updates)}>
          Update all ({updates.length})
        </Button>
      )}
      <ConfirmDialog
        open={asked !== null}
        onOpenChange={(isOpen) => !isOpen && setAsked(null)}
        title={`Update ${counted(asked?.length ?? 0, "plugin")}?`}
        description="New versions run with the same rights as those of now. Each is watched for half a minute and rolled back with its data when it fails."
        confirmLabel="Update"
        isDestructive={false}
        failureTitle="The updates could not be started"
        onConfirm={() => {
          void updateAll(asked ?? []);
          return Promise.resolve();
        }}
      >
        <ul className="max-h-60 overflow-y-auto text-sm" aria-label="Updates">
          {(asked ?? []).map((record) => (
            <li key={record.id} className="wrap-anywhere">
              {record.name}{" "}
              <span className="text-muted-foreground">
                {record.version} → {availableUpdate(record)}
              </span>
            </li>
          ))}
        </ul>
      </ConfirmDialog>
    </>
  );
}
