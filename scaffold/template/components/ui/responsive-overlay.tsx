import type { ReactNode } from "react";

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

/** A dialog in the middle of the window; on compact viewports a drawer from the bottom. */
export function ResponsiveOverlay({ open, onOpenChange, title, description, footer, children }: ResponsiveOverlayProps) {
  if (useCompactViewport()) {
    return (
      <Drawer open={open} onOpenChange={onOpenChange}>
        <DrawerContent {...(description === undefined ? { "aria-describedby": undefined } : {})}>
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
      <DialogContent {...(description === undefined ? { "aria-describedby": undefined } : {})}>
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
