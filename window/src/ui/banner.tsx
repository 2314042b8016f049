import CircleAlert from "lucide-react/icons/circle-alert";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";

import { cn } from "./cn";

export interface BannerProps {
  tone?: "info" | "warning" | "error";
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
  /** Announced when it appears: `alert` at once, `status` when there is a pause. Without, it is not announced. */
  role?: "alert" | "status";
}

const kLook = {
  info: { box: "border-border bg-surface-recessed-solid", icon: Info, iconClass: "text-muted-foreground" },
  warning: { box: "border-warning/40 bg-warning/10", icon: TriangleAlert, iconClass: "text-warning-text" },
  error: { box: "border-surface-destructive-border bg-surface-destructive", icon: CircleAlert, iconClass: "text-destructive-text" },
};

/** A notice that stays: what is the matter, and what can be done. */
export function Banner({ tone = "info", title, children, actions, className, role }: BannerProps) {
  const { box, icon: Icon, iconClass } = kLook[tone];
  return (
    <div
      role={role}
      className={cn("flex flex-wrap items-start gap-x-3 gap-y-2 base:rounded-lg border px-3 py-2.5 text-sm", box, className)}
    >
      <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", iconClass)} />
      <div className="min-w-40 flex-1 wrap-anywhere">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children !== undefined && <div className={cn(title !== undefined && "mt-0.5 text-muted-foreground")}>{children}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
