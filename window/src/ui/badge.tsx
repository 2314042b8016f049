import type { ComponentProps } from "react";

import { cn } from "./cn";

export type BadgeTone = "neutral" | "accent" | "success" | "warning" | "error";

const kTones: Record<BadgeTone, string> = {
  neutral: "border-border text-muted-foreground",
  accent: "border-surface-selected-border bg-surface-selected text-foreground",
  success: "border-success/35 bg-success/10 text-success-text",
  warning: "border-warning/40 bg-warning/10 text-warning-text",
  error: "border-surface-destructive-border bg-surface-destructive text-destructive-text",
};

/** A short state in words; colour only underlines it. */
export function Badge({ tone = "neutral", className, ...props }: ComponentProps<"span"> & { tone?: BadgeTone }) {
  return (
    <span
      className={cn(
        "inline-flex h-5 max-w-full shrink-0 items-center gap-1 truncate rounded-full border px-2 text-xs font-medium [&>svg]:size-3",
        kTones[tone],
        className,
      )}
      {...props}
    />
  );
}
