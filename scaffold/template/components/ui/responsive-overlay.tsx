import { type ReactNode, useRef } from "react";

import { Dialog, DialogContent, DialogDescription, DialogFooter, DialogHeader, DialogTitle } from "@/components/ui/dialog";
import { Drawer, DrawerContent, DrawerDescription, DrawerFooter, DrawerHeader, DrawerTitle } from "@/components/ui/drawer";
import { useCompactViewport } from "@/hooks/use-compact-viewport";

interface ResponsiveOverlayProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  description?: string;
  /** Buttons, the main one first. */
  footer?: ReactNode;
  children?: ReactNode;
}

/** A dialog in the middle of the window; on compact viewports a drawer from the bottom. The focus returns to what opened it. */
export function ResponsiveOverlay({ open, onOpenChange, title, description, footer, children }: ResponsiveOverlayProps) {
  const opener = useRef<Element | null>(null);
  const contentProps = {
    ...(description === undefined ? { "aria-describedby": undefined } : {}),
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
    },
    // Without a trigger of its own a dialog knows nothing to return to.
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      (opener.current as HTMLElement | null)?.focus();
    },
  };
  // The drawer itself: a focused input would bring up the keyboard of a phone.
  const focusDrawer = (event: Event) => {
    contentProps.onOpenAutoFocus();
    (event.currentTarget as HTMLElement).focus();
  };
  if (useCompactViewport()) {
    return (
      <Drawer open={open} onOpenChange={onOpenChange}>
        <DrawerContent {...contentProps} onOpenAutoFocus={focusDrawer}>
          <DrawerHeader>
            <DrawerTitle>{title}</DrawerTitle>
            {description !== undefined && <DrawerDescription>{description}</DrawerDescription>}
          </DrawerHeader>
          {children}
          {footer !== undefined && <DrawerFooter>{footer}</DrawerFooter>}
        </DrawerContent>
      </Drawer>
    );
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      <DialogContent {...contentProps}>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          {description !== undefined && <DialogDescription>{description}</DialogDescription>}
        </DialogHeader>
        {children}
        {footer !== undefined && <DialogFooter>{footer}</DialogFooter>}
      </DialogContent>
    </Dialog>
  );
}
