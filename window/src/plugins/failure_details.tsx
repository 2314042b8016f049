import type { ReactNode } from "react";

import { formatTime } from "@/lib/format";
import type { FailurePhase, PluginFailure } from "./types";

/** Phases in words. */
export const kPhases: Record<FailurePhase, string> = {
  load: "its bundle could not be loaded",
  setup: "its setup failed",
  mount: "a content script failed to start",
  render: "a part of it failed while it was shown",
  dispose: "a content script failed to end",
};

export function FailureDetails({ failure: { phase, message, stack, slot, at } }: { failure: PluginFailure }) {
  return (
    <div className="flex flex-col gap-2 text-left text-sm">
      <p className="font-mono text-xs wrap-anywhere text-destructive-text">{message}</p>
      <p className="text-xs text-muted-foreground">
        Phase {phase}
        {slot !== undefined && `, ${slot}`}, <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
      </p>
      {stack !== undefined && (
        <details>
          <summary className="min-h-6 cursor-pointer text-xs text-muted-foreground">Stack</summary>
          <pre tabIndex={0} className="mt-1 max-h-64 overflow-auto rounded-md bg-surface-recessed-solid p-3 text-xs">
            {stack}
          </pre>
        </details>
      )}
    </div>
  );
}

/** A failure in the middle of the page that it concerns, and below it what can be done. */
export function FailureCard({ failure, children }: { failure: PluginFailure | undefined; children: ReactNode }) {
  return (
    <div className="flex w-full flex-col items-center gap-4">
      {failure !== undefined && (
        <div role="alert" className="w-full rounded-lg border border-surface-destructive-border bg-surface-destructive p-3">
          <FailureDetails failure={failure} />
        </div>
      )}
      <div className="flex flex-wrap justify-center gap-2">{children}</div>
    </div>
  );
}
