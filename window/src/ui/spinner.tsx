import LoaderCircle from "lucide-react/icons/loader-circle";

import { cn } from "./cn";

/** Decoration: what is being waited for stands in text beside it, or in `label`. */
export function Spinner({ className, label }: { className?: string; label?: string }) {
  return (
    <>
      <LoaderCircle aria-hidden className={cn("base:size-5 animate-spin text-muted-foreground motion-reduce:animate-none", className)} />
      {label !== undefined && <span className="sr-only">{label}</span>}
    </>
  );
}

/** Fills its place while something loads. It appears after a moment, so that what is quick does not flicker. */
export function Loading({ label = "Loading…", className }: { label?: string; className?: string }) {
  return (
    <div
      role="status"
      className={cn("flex h-full base:min-h-32 items-center justify-center gap-2 text-sm text-muted-foreground animate-late", className)}
    >
      <Spinner />
      {label}
    </div>
  );
}
