import { type Shortcut, shortcutLabels } from "@/lib/shortcuts";

import { cn } from "./cn";

/** The keys of a shortcut. */
export function Kbd({ shortcut, className }: { shortcut: Shortcut; className?: string }) {
  return (
    <kbd className={cn("inline-flex shrink-0 gap-0.5 font-sans text-xs text-muted-foreground", className)}>
      {shortcutLabels(shortcut).map((label) => (
        <span key={label} className="min-w-5 rounded-sm border border-border-hairline bg-surface-recessed-solid px-1 text-center">
          {label}
        </span>
      ))}
    </kbd>
  );
}
