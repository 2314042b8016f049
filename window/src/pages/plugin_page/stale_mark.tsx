import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useState } from "react";

import { FailureDetails, kPhases } from "@/plugins/failure_details";
import { retryPlugin, useDiagnostics } from "@/plugins/registry";
import { navigation } from "@/lib/navigation";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";

/** In the title bar of a plugin whose new version failed: the previous one is shown, and here is why. */
export function StaleMark({ pluginId }: { pluginId: string }) {
  const diagnostics = useDiagnostics(pluginId);
  const [isOpen, setOpen] = useState(false);
  const { isRetrying, retry } = useRetry(pluginId);
  if (diagnostics?.state !== "stale") {
    return null;
  }
  const failure = diagnostics.lastFailure;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        className="inline-flex h-6 min-w-6 shrink-0 cursor-pointer items-center gap-1.5 rounded-full border border-warning/40 bg-warning/10 px-2 text-xs font-medium text-warning-text hover:bg-warning/20 pointer-coarse:h-11"
      >
        <TriangleAlert aria-hidden className="size-3.5" />
        <span className="max-md:sr-only">Showing the previous version</span>
      </button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Showing the previous version"
        description={`The new version could not take over${failure === undefined ? "" : `: ${kPhases[failure.phase]}`}. What you see keeps working as before.`}
        footer={
          <>
            <Button onClick={() => navigation.toPluginDetail(pluginId)}>About this plugin</Button>
            <Button variant="primary" isBusy={isRetrying} onClick={() => void retry()}>
              Retry
            </Button>
          </>
        }
      >
        {failure !== undefined && <FailureDetails failure={failure} />}
      </Dialog>
    </>
  );
}

/** Tries the failed bundle again. */
export function useRetry(pluginId: string): { isRetrying: boolean; retry(): Promise<void> } {
  const [isRetrying, setRetrying] = useState(false);
  const retry = async () => {
    setRetrying(true);
    try {
      await retryPlugin(pluginId);
    } finally {
      setRetrying(false);
    }
  };
  return { isRetrying, retry };
}
