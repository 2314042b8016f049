import type { ReactNode } from "react";

import { cn } from "./cn";

/** The frame of a management page: one column that scrolls with the window's content. */
export function Page({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={cn("mx-auto flex w-full base:max-w-4xl min-w-0 flex-col gap-6 px-4 py-6 md:px-8", className)}>{children}</div>;
}

/** The page's one `h1`; the window moves the focus here when the route changes. */
export function PageTitle({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <h1 tabIndex={-1} className={cn("base:text-xl font-semibold text-balance wrap-anywhere outline-hidden", className)}>
      {children}
    </h1>
  );
}

/** Terms and what they are: two columns, one on narrow screens. */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <dl
      className={cn(
        "grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-[minmax(8rem,max-content)_minmax(0,1fr)] sm:gap-y-1.5",
        className,
      )}
    >
      {children}
    </dl>
  );
}

export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted-foreground not-first:mt-2 sm:mt-0!">{term}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
