import type { ReactNode } from "react";

import { navigation } from "@/shell/navigation";

import type { SlotCrash } from "./crashes";

const kButton =
  "cursor-pointer rounded-sm px-1.5 py-0.5 font-medium underline-offset-2 hover:underline focus-visible:outline-2 focus-visible:outline-ring";

/** What stands in place of a mount that crashed: names the plugin, offers details, another try and the plugin's page. */
export function CrashPill({ crash }: { crash: SlotCrash }): ReactNode {
  return (
    <div
      role="group"
      aria-label={`${crash.pluginName} stopped working`}
      data-svc-crash={crash.pluginId}
      className="m-1 inline-block max-w-full rounded-lg border border-surface-destructive-border bg-surface-destructive px-2.5 py-1 text-left text-xs text-foreground"
    >
      <div className="flex flex-wrap items-center gap-x-1.5">
        <span role="status" className="font-medium">
          {crash.pluginName} stopped working
        </span>
        <button type="button" className={kButton} onClick={() => crash.retry()}>
          Reload
        </button>
        <button type="button" className={kButton} onClick={() => navigation.toPluginDetail(crash.pluginId)}>
          Open plugin
        </button>
      </div>
      <details className="mt-0.5">
        <summary className="cursor-pointer text-muted-foreground">Details</summary>
        <p className="mt-1 break-words">{crash.message}</p>
        {crash.isSlotDisabled && (
          <p className="mt-1">It crashed several times here, so every place of {crash.id} is off until you reload it.</p>
        )}
        <pre className="mt-1 max-h-48 overflow-auto whitespace-pre-wrap break-words text-2xs text-muted-foreground" tabIndex={0}>
          {[crash.stack, crash.componentStack?.trim()].filter(Boolean).join("\n\n")}
        </pre>
      </details>
    </div>
  );
}
