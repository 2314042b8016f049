import Circle from "lucide-react/icons/circle";
import LoaderCircle from "lucide-react/icons/loader-circle";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { cn } from "@/ui/cn";

/** The mark before a thread's name: it works, waits, was not read, or nothing of that. */
export function ThreadIndicator({ thread: { indicator, indicatorLabel } }: { thread: PluginSidebarThread }) {
  const isBusy = indicator !== "none" && !indicator.startsWith("unread") && indicator !== "waiting-for-input";
  return (
    <span className="inline-flex size-4 shrink-0 items-center justify-center">
      {isBusy ? (
        <LoaderCircle aria-hidden className="size-3.5 animate-spin text-muted-foreground motion-reduce:animate-none" />
      ) : (
        <Circle
          aria-hidden
          className={cn("size-2 stroke-0", {
            "fill-border": indicator === "none",
            "fill-attention": indicator === "waiting-for-input",
            "fill-success": indicator === "unread-success",
            "fill-destructive": indicator === "unread-error",
          })}
        />
      )}
      {indicatorLabel !== null && <span className="sr-only">{indicatorLabel}: </span>}
    </span>
  );
}
