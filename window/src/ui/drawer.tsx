import * as Radix from "@radix-ui/react-dialog";
import type { ReactNode } from "react";

import { cn } from "./cn";
import { kOverlayClass } from "./dialog";
import { useReturnFocus } from "./return_focus";

export interface DrawerProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  side?: "left" | "right";
  /** Names the drawer for screen readers; the content has its own heading. */
  title: string;
  children: ReactNode;
  className?: string;
  /** After the focus was given back; what mounts the drawer only while it is open may let it go now. */
  onClosed?(): void;
  /** Whether something in it takes Escape, which the drawer hears first. */
  takesEscape?(): boolean;
}

/** A modal panel at a side of the window: what sidebar and right panel become on compact viewports. */
export function Drawer({ open, onOpenChange, side = "left", title, children, className, onClosed, takesEscape }: DrawerProps) {
  const returnFocus = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={kOverlayClass} />
        <Radix.Content
          aria-describedby={undefined}
          onEscapeKeyDown={(event) => {
            if (takesEscape?.() === true) {
              event.preventDefault();
            }
          }}
          onCloseAutoFocus={(event) => {
            returnFocus(event);
            onClosed?.();
          }}
          className={cn(
            "fixed inset-y-0 z-50 flex base:w-[min(20rem,calc(100vw-3rem))] flex-col base:bg-background text-foreground shadow-2xl outline-hidden motion-reduce:animate-none",
            side === "left"
              ? "left-0 border-r border-border data-[state=closed]:animate-drawer-left-out data-[state=open]:animate-drawer-left-in"
              : "right-0 border-l border-border data-[state=closed]:animate-drawer-right-out data-[state=open]:animate-drawer-right-in",
            className,
          )}
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
