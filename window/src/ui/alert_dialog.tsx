import * as Radix from "@radix-ui/react-alert-dialog";
import type { ReactNode } from "react";

import { Button } from "./button";
import { cn } from "./cn";
import { kOverlayClass } from "./dialog";
import { useReturnFocus } from "./return_focus";

export interface AlertDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  description?: ReactNode;
  /** A verb: what happens, such as `Remove plugin`. */
  confirmLabel: string;
  cancelLabel?: string;
  isDestructive?: boolean;
  /** While the confirmed thing runs; the caller closes the dialog when it is done. */
  isBusy?: boolean;
  onConfirm(): void;
  children?: ReactNode;
}

/** Asks before something that cannot be undone. The focus starts on Cancel; a click beside it does not close it. */
export function AlertDialog({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel,
  cancelLabel = "Cancel",
  isDestructive = false,
  isBusy = false,
  onConfirm,
  children,
}: AlertDialogProps) {
  const returnFocus = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={kOverlayClass} />
        <Radix.Content
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          onCloseAutoFocus={returnFocus}
          className={cn(
            "fixed z-50 flex max-h-[85dvh] flex-col gap-4 border border-border bg-popover p-6 text-popover-foreground shadow-2xl outline-hidden",
            "inset-x-0 bottom-0 rounded-t-xl pb-[max(1.5rem,env(safe-area-inset-bottom))]",
            "md:inset-x-auto md:top-1/2 md:bottom-auto md:left-1/2 md:w-full md:max-w-md md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-xl md:pb-6",
            "data-[state=open]:animate-fade-in data-[state=closed]:animate-fade-out motion-reduce:animate-none",
          )}
        >
          <div className="flex min-h-0 flex-col gap-2 overflow-y-auto">
            <Radix.Title className="text-lg/6 font-semibold text-balance wrap-anywhere">{title}</Radix.Title>
            {description !== undefined && (
              <Radix.Description className="text-sm text-muted-foreground wrap-anywhere">{description}</Radix.Description>
            )}
            {children}
          </div>
          <div className="flex flex-wrap justify-end gap-2">
            <Radix.Cancel asChild>
              <Button>{cancelLabel}</Button>
            </Radix.Cancel>
            <Button variant={isDestructive ? "destructive" : "primary"} isBusy={isBusy} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
