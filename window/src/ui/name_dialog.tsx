import { useId, useState } from "react";

import { Button } from "./button";
import { Dialog } from "./dialog";
import { TextField } from "./text_field";

export interface NameDialogProps {
  title: string;
  label: string;
  /** As it is called now; empty for something new. */
  initial: string;
  confirmLabel: string;
  /** Characters. */
  maxLength?: number;
  /** What is wrong with a name; null when it may be tried. */
  check(name: string): string | null;
  onClose(): void;
  /** Resolves when it has the name; what it rejects with is said below the field. */
  onName(name: string): Promise<void>;
}

/** Asks for one name. Mounted while it is open. */
export function NameDialog({ title, label, initial, confirmLabel, maxLength, check, onClose, onName }: NameDialogProps) {
  const formId = useId();
  const [name, setName] = useState(initial);
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    const wrong = check(name);
    setIssue(wrong);
    if (wrong !== null || isBusy) {
      return;
    }
    setBusy(true);
    try {
      await onName(name);
      onClose();
    } catch (failure) {
      setIssue(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            {confirmLabel}
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
        <TextField label={label} value={name} onChange={(typed) => setName(typed.slice(0, maxLength))} issue={issue} autoFocus />
      </form>
    </Dialog>
  );
}
