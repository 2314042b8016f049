import * as Radix from "@radix-ui/react-dropdown-menu";
import Check from "lucide-react/icons/check";
import type { ComponentProps } from "react";

import { cn } from "./cn";
import { kMenuClass, kMenuDestructiveClass, kMenuItemClass, kMenuLabelClass, kMenuSeparatorClass } from "./menu_classes";

/** Not modal: a modal menu hides the page from assistive technology while its controls can still be reached. */
export function DropdownMenu(props: ComponentProps<typeof Radix.Root>) {
  return <Radix.Root modal={false} {...props} />;
}
/** With `asChild`, around a button. */
export const DropdownMenuTrigger = Radix.Trigger;
export const DropdownMenuRadioGroup = Radix.RadioGroup;

export function DropdownMenuContent({ className, sideOffset = 4, align = "end", ...props }: ComponentProps<typeof Radix.Content>) {
  return (
    <Radix.Portal>
      <Radix.Content sideOffset={sideOffset} align={align} collisionPadding={8} className={cn(kMenuClass, className)} {...props} />
    </Radix.Portal>
  );
}

export interface DropdownMenuItemProps extends ComponentProps<typeof Radix.Item> {
  isDestructive?: boolean;
}

export function DropdownMenuItem({ className, isDestructive = false, ...props }: DropdownMenuItemProps) {
  return <Radix.Item className={cn(kMenuItemClass, isDestructive && kMenuDestructiveClass, className)} {...props} />;
}

export function DropdownMenuRadioItem({ className, children, ...props }: ComponentProps<typeof Radix.RadioItem>) {
  return (
    <Radix.RadioItem className={cn(kMenuItemClass, "pl-8", className)} {...props}>
      <Radix.ItemIndicator className="absolute left-2 inline-flex">
        <Check aria-hidden />
      </Radix.ItemIndicator>
      {children}
    </Radix.RadioItem>
  );
}

export function DropdownMenuLabel({ className, ...props }: ComponentProps<typeof Radix.Label>) {
  return <Radix.Label className={cn(kMenuLabelClass, className)} {...props} />;
}

export function DropdownMenuSeparator({ className, ...props }: ComponentProps<typeof Radix.Separator>) {
  return <Radix.Separator className={cn(kMenuSeparatorClass, className)} {...props} />;
}
