import { Drawer } from "vaul";

import { cn } from "./cn";
import { type DialogProps, kOverlayClass } from "./dialog";
import { useReturnFocus } from "./return_focus";

/** What a dialog is on compact viewports: it comes from the bottom and can be dragged away. */
export default function BottomDrawer({
  open,
  onOpenChange,
  title,
  description,
  footer,
  children,
  className,
  onOpenAutoFocus,
}: DialogProps) {
  const returnFocus = useReturnFocus(open);
  return (
    // Without `autoFocus` the focus stays on what is covered, where a screen reader says nothing of the drawer.
    <Drawer.Root open={open} onOpenChange={onOpenChange} repositionInputs={false} autoFocus>
      <Drawer.Portal>
        <Drawer.Overlay className={kOverlayClass} />
        <Drawer.Content
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          {...(onOpenAutoFocus === undefined ? {} : { onOpenAutoFocus })}
          onCloseAutoFocus={returnFocus}
          className={cn(
            "fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] flex-col rounded-t-xl border-t border-border bg-popover text-popover-foreground shadow-2xl outline-hidden",
            className,
          )}
        >
          <div aria-hidden className="mx-auto mt-2 h-1 w-9 shrink-0 rounded-full bg-border" />
          <header className="px-4 pt-3 pb-2">
            <Drawer.Title className="text-lg/6 font-semibold wrap-anywhere">{title}</Drawer.Title>
            {description !== undefined && (
              <Drawer.Description className="mt-1 text-sm text-muted-foreground wrap-anywhere">{description}</Drawer.Description>
            )}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-[max(1rem,env(safe-area-inset-bottom))]">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-col-reverse gap-2 border-t border-border-hairline px-4 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] [&>*]:w-full">
              {footer}
            </footer>
          )}
        </Drawer.Content>
      </Drawer.Portal>
    </Drawer.Root>
  );
}
