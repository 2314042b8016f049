import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

import { Icon } from "@/components/ui/icon";
import { cn } from "@/lib/utils";

interface EmptyStateProps {
  icon?: LucideIcon;
  /** What is not there. */
  title: string;
  /** Why, or what to do next. */
  description?: ReactNode;
  /** Buttons, the main one first. */
  actions?: ReactNode;
  className?: string;
}

export function EmptyState({ icon, title, description, actions, className }: EmptyStateProps) {
  return (
    <div className={cn("flex flex-col items-center gap-2 rounded-lg border border-dashed border-border px-4 py-12 text-center", className)}>
      {icon !== undefined && <Icon icon={icon} className="size-6 text-subtle-foreground" />}
      <p className="text-sm font-medium text-balance wrap-anywhere text-foreground">{title}</p>
      {description !== undefined && <div className="text-sm text-pretty wrap-anywhere text-muted-foreground">{description}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
