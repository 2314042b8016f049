import * as CheckboxPrimitive from "@radix-ui/react-checkbox";
import Check from "lucide-react/icons/check";
import type { ComponentProps } from "react";

import { Icon } from "@/components/ui/icon";
import { cn } from "@/lib/utils";

/** A box of 16 px in a target of 24 px, 44 px for fingers. */
export function Checkbox({ className, ...props }: ComponentProps<typeof CheckboxPrimitive.Root>) {
  return (
    <CheckboxPrimitive.Root
      className={cn(
        "group inline-flex size-6 shrink-0 cursor-pointer items-center justify-center rounded-sm pointer-coarse:size-11",
        "outline-hidden disabled:cursor-default disabled:opacity-50",
        className,
      )}
      {...props}
    >
      <span
        className={cn(
          "flex size-4 items-center justify-center rounded-sm border border-input bg-background",
          "group-focus-visible:ring-2 group-focus-visible:ring-ring",
          "group-data-[state=checked]:border-primary group-data-[state=checked]:bg-primary",
        )}
      >
        <CheckboxPrimitive.Indicator className="text-primary-foreground">
          <Icon icon={Check} className="size-3" />
        </CheckboxPrimitive.Indicator>
      </span>
    </CheckboxPrimitive.Root>
  );
}
