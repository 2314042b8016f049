import type { ReactNode } from "react";

import { cn } from "./cn";

export interface EmptyStateProps {
  icon?: ReactNode;
  title: ReactNode;
  /** Says why it is empty, or what to do next. */
  description?: ReactNode;
  actions?: ReactNode;
  className?: string;
  /** Of the title; default `p`, which is right inside of a titled section. */
  as?: "p" | "h1" | "h2";
}

export function EmptyState({ icon, title, description, actions, className, as: Title = "p" }: EmptyStateProps) {
  return (
    <div className={cn("mx-auto flex base:max-w-md flex-col items-center gap-2 px-4 py-12 text-center", className)}>
      {icon !== undefined && (
        <span
          aria-hidden
          className="mb-2 inline-flex size-11 items-center justify-center rounded-xl border border-border-hairline bg-surface-raised-solid text-muted-foreground shadow-xs [&>svg]:size-5"
        >
          {icon}
        </span>
      )}
      <Title className="text-base font-semibold text-balance wrap-anywhere">{title}</Title>
      {description !== undefined && <div className="text-sm text-pretty wrap-anywhere text-muted-foreground">{description}</div>}
      {actions !== undefined && <div className="mt-3 flex w-full flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
