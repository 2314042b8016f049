import { useRef } from "react";

import { closeTerminal, renameTerminal, restartTerminal, type Terminal } from "@/api/terminals";
import { ApiError } from "@/lib/api_error";
import { notify } from "@/lib/notifications";
import { ConfirmDialog, NameDialog } from "@/ui";

import { isLive, kTitleMax } from "./state";

const messageOf = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure));

interface DialogProps {
  terminal: Terminal;
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function RenameTerminalDialog({ terminal, open, onOpenChange }: DialogProps) {
  return open ? (
    <NameDialog
      title={`Rename ${terminal.title}`}
      label="Title"
      initial={terminal.title}
      confirmLabel="Rename"
      maxLength={kTitleMax}
      check={(title) => (title.trim() === "" ? "Enter a title." : null)}
      onClose={() => onOpenChange(false)}
      onName={async (title) => void (await renameTerminal(terminal.id, title.trim()))}
    />
  ) : null;
}

/** Closes a shell that runs nothing; asks about one that does. `ask` is called with it, and shows `ForceCloseDialog`. */
export async function closeOrAsk(terminal: Terminal, ask: () => void): Promise<void> {
  try {
    await closeTerminal(terminal.id, false);
  } catch (failure) {
    if (failure instanceof ApiError && failure.code === "conflict") {
      ask();
    } else {
      notify({ kind: "error", title: `${terminal.title} could not be closed`, description: messageOf(failure) });
    }
  }
}

export function ForceCloseDialog({ terminal, open, onOpenChange }: DialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`End what runs in ${terminal.title}?`}
      description="More than the shell runs in it. All of it is told to end, and ended by force when it does not."
      confirmLabel="End and close"
      failureTitle="It could not be closed"
      onConfirm={async () => void (await closeTerminal(terminal.id, true))}
    />
  );
}

/** Asks before a live terminal is replaced; what ran in it ends. */
export function RestartTerminalDialog({ terminal, open, onOpenChange, onRestarted }: DialogProps & { onRestarted(next: Terminal): void }) {
  const next = useRef<Terminal | null>(null);
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Restart ${terminal.title}?`}
      description={
        isLive(terminal)
          ? "What runs in it ends, and a new shell opens in the same folder. A command it was opened with is not run again."
          : "A new shell opens in the same folder. A command it was opened with is not run again."
      }
      confirmLabel="Restart"
      isDestructive={isLive(terminal)}
      failureTitle="It could not be restarted"
      onConfirm={async () => void (next.current = await restartTerminal(terminal.id))}
      onDone={() => next.current !== null && onRestarted(next.current)}
    />
  );
}
