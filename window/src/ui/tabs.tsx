import * as Radix from "@radix-ui/react-tabs";
import type { ComponentProps } from "react";

import { cn } from "./cn";

export const Tabs = Radix.Root;

export function TabList({ className, ...props }: ComponentProps<typeof Radix.List>) {
  return <Radix.List className={cn("flex gap-4 overflow-x-auto border-b border-border-hairline", className)} {...props} />;
}

export function Tab({ className, ...props }: ComponentProps<typeof Radix.Trigger>) {
  return (
    <Radix.Trigger
      className={cn(
        "-mb-px inline-flex h-9 shrink-0 cursor-pointer items-center gap-1.5 border-b-2 border-transparent text-sm text-muted-foreground transition-colors hover:text-foreground pointer-coarse:h-11",
        "data-[state=active]:border-primary data-[state=active]:font-medium data-[state=active]:text-foreground [&>svg]:size-4",
        className,
      )}
      {...props}
    />
  );
}

export function TabPanel({ className, ...props }: ComponentProps<typeof Radix.Content>) {
  return <Radix.Content className={cn("outline-offset-4", className)} {...props} />;
}
