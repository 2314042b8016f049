import * as Radix from "@radix-ui/react-switch";
import type { ComponentProps } from "react";

import { cn } from "./cn";

/** Needs a name: `aria-label`, `aria-labelledby` or a label for its `id`. */
export function Switch({ className, ...props }: ComponentProps<typeof Radix.Root>) {
  return (
    <Radix.Root
      className={cn(
        // The padding makes the target as large as the pointer needs without making the switch larger.
        "group relative inline-flex h-6 w-10 shrink-0 cursor-pointer items-center justify-center rounded-full disabled:cursor-not-allowed disabled:opacity-50",
        "pointer-coarse:h-11 pointer-coarse:w-12",
        className,
      )}
      {...props}
    >
      <span className="flex h-5 w-9 items-center rounded-full border border-transparent bg-switch-off p-0.5 transition-colors duration-150 group-data-[state=checked]:bg-primary">
        <Radix.Thumb className="size-3.5 rounded-full bg-switch-thumb shadow-xs transition-transform duration-150 data-[state=checked]:translate-x-4 motion-reduce:transition-none forced-colors:bg-[ButtonText]" />
      </span>
    </Radix.Root>
  );
}
