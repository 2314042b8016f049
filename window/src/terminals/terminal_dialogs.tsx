import { useId, useState } from "react";

import { closeTerminal, renameTerminal, restartTerminal, type Terminal } from "@/api/terminals";
import { ApiError } from "@/lib/api_error";
import { notify } from "@/lib/notifications";
import { TextField } from "@/ui/text_field";
import { AlertDialog, Button, Dialog, ErrorNotice } from "@/ui";

import { isLive, kTitleMax } from "./state";

const messageOf = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure));

interface DialogProps {
  terminal: Terminal;
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function RenameTerminalDialog(props: DialogProps) {
  return props.open ? <OpenRename {...props} /> : null;
}

function OpenRename({ terminal, onOpenChange }: DialogProps) {
  const formId = useId();
  const [title, setTitle] = useState(terminal.title);
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    const wanted = title.trim();
    if (wanted === "") {
      setIssue("Enter a title.");
      return;
    }
    setBusy(true);
    try {
      await renameTerminal(terminal.id, wanted);
      onOpenChange(false);
    } catch (failure) {
      setIssue(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title="Rename the terminal"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label="Title" value={title} onChange={(typed) => setTitle(typed.slice(0, kTitleMax))} issue={issue} autoFocus />
      </form>
    </Dialog>
  );
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
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const close = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await closeTerminal(terminal.id, true);
      onOpenChange(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`End what runs in ${terminal.title}?`}
      description="More than the shell runs in it. All of it is told to end, and ended by force when it does not."
      confirmLabel="End and close"
      isDestructive
      isBusy={isBusy}
      onConfirm={() => void close()}
    >
      {failure !== null && <ErrorNotice title="It could not be closed" error={failure} />}
    </AlertDialog>
  );
}

/** Asks before a live terminal is replaced; what ran in it ends. */
export function RestartTerminalDialog({ terminal, open, onOpenChange, onRestarted }: DialogProps & { onRestarted(next: Terminal): void }) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const restart = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const next = await restartTerminal(terminal.id);
      onOpenChange(false);
      onRestarted(next);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Restart ${terminal.title}?`}
      description={
        isLive(terminal)
          ? "A new shell opens in the same folder, and what runs in the old one ends. A command it was opened with is not run again."
          : "A new shell opens in the same folder. A command it was opened with is not run again."
      }
      confirmLabel="Restart"
      isDestructive={isLive(terminal)}
      isBusy={isBusy}
      onConfirm={() => void restart()}
    >
      {failure !== null && <ErrorNotice title="It could not be restarted" error={failure} />}
    </AlertDialog>
  );
}
