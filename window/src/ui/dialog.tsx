import * as Radix from "@radix-ui/react-dialog";
import X from "lucide-react/icons/x";
import { lazy, type ReactNode, Suspense, useRef } from "react";

import { useIsCompact } from "@/lib/viewport";

import { IconButton } from "./button";
import { cn } from "./cn";
import { useReturnFocus } from "./return_focus";

// The gestures of the bottom drawer are wanted on compact viewports only.
const BottomDrawer = lazy(() => import("./bottom_drawer"));

export const kOverlayClass =
  "fixed inset-0 z-50 bg-surface-scrim data-[state=open]:animate-fade-in data-[state=closed]:animate-fade-out motion-reduce:animate-none";

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  description?: ReactNode;
  /** Buttons at the end; they stay in sight while the content scrolls. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  children?: ReactNode;
  className?: string;
  /** Where the focus goes first; default the first control. */
  onOpenAutoFocus?(event: Event): void;
}

const kWidths = { sm: "max-w-sm", md: "max-w-lg", lg: "max-w-2xl" };

/** A modal dialog: centred, or a drawer from the bottom on compact viewports. */
export function Dialog(props: DialogProps) {
  const isCompact = useIsCompact();
  // A turn of the phone must not throw away what was typed: the form stays what it was when it opened.
  const form = useRef(isCompact);
  if (!props.open) {
    form.current = isCompact;
  }
  return form.current ? (
    <Suspense fallback={null}>
      <BottomDrawer {...props} />
    </Suspense>
  ) : (
    <CentredDialog {...props} />
  );
}

function CentredDialog({ open, onOpenChange, title, description, footer, size = "md", children, className, onOpenAutoFocus }: DialogProps) {
  const returnFocus = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={kOverlayClass} />
        <Radix.Content
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          {...(onOpenAutoFocus === undefined ? {} : { onOpenAutoFocus })}
          onCloseAutoFocus={returnFocus}
          className={cn(
            "fixed top-1/2 left-1/2 z-50 flex max-h-[min(85dvh,48rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-xl border border-border bg-popover text-popover-foreground shadow-2xl outline-hidden",
            "data-[state=open]:animate-dialog-in data-[state=closed]:animate-fade-out motion-reduce:animate-none",
            kWidths[size],
            className,
          )}
        >
          <header className="flex items-start justify-between gap-4 px-6 pt-5 pb-3">
            <div className="min-w-0">
              <Radix.Title className="text-lg/6 font-semibold text-balance wrap-anywhere">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-sm text-muted-foreground wrap-anywhere">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" tooltip={false} className="-mt-1 -mr-2">
                <X aria-hidden />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-6 pb-5">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-border-hairline px-6 py-4">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
