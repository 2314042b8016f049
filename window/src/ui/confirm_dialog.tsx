import { type ReactNode, useState } from "react";

import { AlertDialog } from "./alert_dialog";
import { ErrorNotice } from "./error_notice";

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  /** What it means; what is lost comes first. */
  description: ReactNode;
  /** A verb: what happens. */
  confirmLabel: string;
  isDestructive?: boolean;
  /** Does it. What it rejects with is shown, and the dialog stays for another try. */
  onConfirm(): Promise<void>;
  /** What could not be done, such as `It could not be removed`. */
  failureTitle: string;
  /** After it is done and the dialog is closed. */
  onDone?(): void;
  children?: ReactNode;
}

/** Asks before something that takes a request, does it, and says why when that fails. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel,
  isDestructive = true,
  onConfirm,
  failureTitle,
  onDone,
  children,
}: ConfirmDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const change = (isOpen: boolean) => {
    setFailure(null);
    onOpenChange(isOpen);
  };
  const confirm = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await onConfirm();
      change(false);
      onDone?.();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog
      open={open}
      onOpenChange={change}
      title={title}
      description={description}
      confirmLabel={confirmLabel}
      isDestructive={isDestructive}
      isBusy={isBusy}
      onConfirm={() => void confirm()}
    >
      {children}
      {failure !== null && <ErrorNotice title={failureTitle} error={failure} />}
    </AlertDialog>
  );
}
