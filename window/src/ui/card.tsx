import type { ComponentProps, ReactNode } from "react";

import { cn } from "./cn";

export function Card({ className, ...props }: ComponentProps<"div">) {
  return (
    <div className={cn("min-w-0 rounded-lg border border-border-hairline bg-card text-card-foreground shadow-2xs", className)} {...props} />
  );
}

export interface SectionProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  id?: string;
}

/** A titled part of a page. */
export function Section({ title, description, actions, children, className, id }: SectionProps) {
  return (
    <section id={id} className={cn("flex min-w-0 flex-col gap-3", className)}>
      <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 className="text-base font-semibold">{title}</h2>
          {description !== undefined && <p className="mt-0.5 text-sm text-muted-foreground">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
