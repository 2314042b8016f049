import type { ReactNode } from "react";

import { navigation } from "@/lib/navigation";

import type { SlotCrash } from "./crashes";

const kTarget = "min-h-6 cursor-pointer rounded-sm focus-visible:outline-2 focus-visible:outline-ring pointer-coarse:min-h-11";
const kButton = `${kTarget} px-1.5 font-medium underline decoration-1 underline-offset-2 hover:decoration-2`;

/** What stands in place of a mount that crashed: names the plugin, offers details, another try and the plugin's page. */
export function CrashPill({ crash }: { crash: SlotCrash }): ReactNode {
  return (
    <div
      role="group"
      aria-label={`${crash.pluginName} stopped working`}
      data-svc-crash={crash.pluginId}
      className="m-2 inline-block max-w-full rounded-lg border border-surface-destructive-border bg-surface-destructive px-3 py-1.5 text-left text-xs text-foreground"
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
      <details>
        <summary className={`${kTarget} content-center text-muted-foreground`}>Details</summary>
        <p className="mt-1 break-words">{crash.message}</p>
        {crash.isSlotDisabled && (
          <p className="mt-1">It crashed several times here, so every place of {crash.id} is off until you reload it.</p>
        )}
        <pre
          className="mt-1 max-h-48 overflow-auto whitespace-pre-wrap break-words text-2xs text-muted-foreground"
          role="region"
          aria-label="Stack"
          tabIndex={0}
        >
          {[crash.stack, crash.componentStack?.trim()].filter(Boolean).join("\n\n")}
        </pre>
      </details>
    </div>
  );
}
