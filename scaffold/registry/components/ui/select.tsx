import ChevronDown from "lucide-react/icons/chevron-down";
import type { ComponentProps } from "react";

import { Icon } from "@/components/ui/icon";
import { cn } from "@/lib/utils";

/** The browser's own list with `<option>` inside: phones and assistive technology know it. */
export function Select({ className, ...props }: ComponentProps<"select">) {
  return (
    <span className={cn("relative inline-flex w-full min-w-0", className)}>
      <select
        className={cn(
          "h-9 w-full min-w-0 cursor-pointer appearance-none truncate rounded-md border border-input bg-background pr-9 pl-3 text-sm text-foreground pointer-coarse:h-11",
          "outline-hidden focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/50",
          "disabled:cursor-default disabled:opacity-50 aria-invalid:border-destructive",
          "[&>option]:bg-popover [&>option]:text-popover-foreground",
        )}
        {...props}
      />
      <Icon icon={ChevronDown} className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-muted-foreground" />
    </span>
  );
}
