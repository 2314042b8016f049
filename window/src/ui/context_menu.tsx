import * as Radix from "@radix-ui/react-context-menu";
import type { ComponentProps } from "react";

import { cn } from "./cn";
import { kMenuClass, kMenuDestructiveClass, kMenuItemClass, kMenuSeparatorClass } from "./menu_classes";

/** Not modal, for the reason that `DropdownMenu` gives. */
export function ContextMenu(props: ComponentProps<typeof Radix.Root>) {
  return <Radix.Root modal={false} {...props} />;
}
export const ContextMenuTrigger = Radix.Trigger;

export function ContextMenuContent({ className, ...props }: ComponentProps<typeof Radix.Content>) {
  return (
    <Radix.Portal>
      <Radix.Content collisionPadding={8} className={cn(kMenuClass, className)} {...props} />
    </Radix.Portal>
  );
}

export function ContextMenuItem({
  className,
  isDestructive = false,
  ...props
}: ComponentProps<typeof Radix.Item> & { isDestructive?: boolean }) {
  return <Radix.Item className={cn(kMenuItemClass, isDestructive && kMenuDestructiveClass, className)} {...props} />;
}

export function ContextMenuSeparator({ className, ...props }: ComponentProps<typeof Radix.Separator>) {
  return <Radix.Separator className={cn(kMenuSeparatorClass, className)} {...props} />;
}
