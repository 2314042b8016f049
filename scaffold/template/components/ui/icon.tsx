import type { LucideIcon } from "lucide-react";

import { cn } from "@/lib/utils";

interface IconProps {
  /** Import it from `lucide-react/icons/<name>`: the package's main module holds every icon and slows each build down. */
  icon: LucideIcon;
  /** What the icon says. Leave it out where a text beside it says the same. */
  label?: string;
  className?: string;
}

export function Icon({ icon: Shape, label, className }: IconProps) {
  return (
    <Shape
      className={cn("size-4 shrink-0", className)}
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    />
  );
}
