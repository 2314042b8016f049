import { useState } from "react";
import { createRoot } from "react-dom/client";

import { AlertDialog } from "@/ui/alert_dialog";

/** The window's question before a thread is deleted; `onConfirm` reports its own failure. */
export function confirmDelete(onConfirm: () => Promise<void>): void {
  const container = document.createElement("div");
  document.body.append(container);
  const root = createRoot(container);
  const close = () => {
    root.unmount();
    container.remove();
  };
  root.render(<DeleteThread onConfirm={onConfirm} onClose={close} />);
}

function DeleteThread({ onConfirm, onClose }: { onConfirm(): Promise<void>; onClose(): void }) {
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
      description="Its messages and the files it stored are deleted with it. This cannot be undone."
      confirmLabel="Delete thread"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void confirm()}
    />
  );
}
