import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";

import { navigation } from "@/lib/navigation";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";

import type { SlotCrash } from "./crashes";
import { FailureCard } from "./failure_details";

/** What stands in place of a page that crashed, as of one that could not be loaded. */
export function CrashPage({ crash }: { crash: SlotCrash }): ReactNode {
  const { pluginId, pluginName, message, at, isSlotDisabled } = crash;
  const stack = [crash.stack, crash.componentStack?.trim()].filter(Boolean).join("\n\n");
  return (
    <div role="group" aria-label={`${pluginName} stopped working`} data-svc-crash={pluginId} className="grid min-h-full place-items-center">
      <EmptyState
        icon={<TriangleAlert />}
        title={<span role="status">{pluginName} stopped working</span>}
        description={
          isSlotDisabled
            ? `It crashed several times here, so every place of ${crash.id} is off until you reload it.`
            : "This page failed while it was shown. Everything else goes on."
        }
        className="w-full max-w-xl"
        actions={
          <FailureCard failure={{ phase: "render", message, at, ...(stack === "" ? {} : { stack }) }}>
            <Button variant="primary" onClick={() => crash.retry()}>
              Reload
            </Button>
            <Button onClick={() => navigation.toPluginDetail(pluginId)}>Open plugin</Button>
            <Button onClick={() => navigation.toPluginLogs(pluginId)}>Logs</Button>
          </FailureCard>
        }
      />
    </div>
  );
}
