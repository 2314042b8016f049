import * as Radix from "@radix-ui/react-checkbox";
import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import type { ComponentProps } from "react";

import { cn } from "./cn";

/** Needs a name: `aria-label`, `aria-labelledby` or a label for its `id`. */
export function Checkbox({ className, ...props }: ComponentProps<typeof Radix.Root>) {
  return (
    <Radix.Root
      className={cn(
        "group inline-flex size-6 shrink-0 cursor-pointer items-center justify-center rounded-sm disabled:cursor-not-allowed disabled:opacity-50 pointer-coarse:size-11",
        className,
      )}
      {...props}
    >
      <span className="flex size-4 items-center justify-center rounded-[5px] border border-input bg-surface-raised-solid transition-colors duration-100 group-aria-invalid:border-destructive group-data-[state=checked]:border-primary group-data-[state=checked]:bg-primary group-data-[state=indeterminate]:border-primary group-data-[state=indeterminate]:bg-primary">
        <Radix.Indicator className="text-primary-foreground">
          {props.checked === "indeterminate" ? <Minus className="size-3" strokeWidth={3} /> : <Check className="size-3" strokeWidth={3} />}
        </Radix.Indicator>
      </span>
    </Radix.Root>
  );
}
