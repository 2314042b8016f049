import type { ComponentProps } from "react";
import { Drawer as DrawerPrimitive } from "vaul";

import { usePortalScopeProps } from "@/lib/portal-scope";
import { cn } from "@/lib/utils";

/** A sheet from the bottom, for compact viewports. */
export const Drawer = DrawerPrimitive.Root;
export const DrawerTrigger = DrawerPrimitive.Trigger;
export const DrawerClose = DrawerPrimitive.Close;

export function DrawerContent({ className, children, ...props }: ComponentProps<typeof DrawerPrimitive.Content>) {
  const scope = usePortalScopeProps();
  return (
    <DrawerPrimitive.Portal>
      <DrawerPrimitive.Overlay {...scope} className="fixed inset-0 z-50 bg-surface-scrim" />
      <DrawerPrimitive.Content
        {...scope}
        className={cn(
          "fixed inset-x-0 bottom-0 z-50 flex max-h-[85dvh] flex-col gap-4 rounded-t-lg border border-border bg-popover p-6",
          "pb-[max(1.5rem,env(safe-area-inset-bottom))] text-popover-foreground shadow-lg outline-hidden",
          className,
        )}
        {...props}
      >
        <div aria-hidden="true" className="mx-auto -mt-2 h-1 w-10 shrink-0 rounded-full bg-border" />
        <div className="flex min-h-0 flex-col gap-4 overflow-y-auto">{children}</div>
      </DrawerPrimitive.Content>
    </DrawerPrimitive.Portal>
  );
}

export function DrawerHeader({ className, ...props }: ComponentProps<"div">) {
  return <div className={cn("flex flex-col gap-1", className)} {...props} />;
}

export function DrawerFooter({ className, ...props }: ComponentProps<"div">) {
  return <div className={cn("flex flex-col gap-2", className)} {...props} />;
}

export function DrawerTitle({ className, ...props }: ComponentProps<typeof DrawerPrimitive.Title>) {
  return <DrawerPrimitive.Title className={cn("text-base font-semibold", className)} {...props} />;
}

export function DrawerDescription({ className, ...props }: ComponentProps<typeof DrawerPrimitive.Description>) {
  return <DrawerPrimitive.Description className={cn("text-sm text-muted-foreground", className)} {...props} />;
}
