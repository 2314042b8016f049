import { useState } from "react";
import { createRoot } from "react-dom/client";

import { counted } from "@/lib/format";
import { AlertDialog } from "@/ui/alert_dialog";

/** The window's question before a thread and its `children` are deleted; `onConfirm` reports its own failure. */
export function confirmDelete(children: number, onConfirm: () => Promise<void>): void {
  const container = document.createElement("div");
  document.body.append(container);
  const root = createRoot(container);
  const close = () => {
    root.unmount();
    container.remove();
  };
  root.render(<DeleteThread childCount={children} onConfirm={onConfirm} onClose={close} />);
}

function DeleteThread({ childCount, onConfirm, onClose }: { childCount: number; onConfirm(): Promise<void>; onClose(): void }) {
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async () => {
    setIsBusy(true);
    // Its failure has been shown; the question is over either way.
    await onConfirm().catch(() => undefined);
    onClose();
  };
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title="Delete this thread?"
      description={
        childCount === 0
          ? "Its messages and the files it stored are deleted with it. This cannot be undone."
          : `Its messages, the files it stored and ${counted(childCount, "thread")} below it are deleted with it. This cannot be undone.`
      }
      confirmLabel="Delete thread"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void confirm()}
    />
  );
}
