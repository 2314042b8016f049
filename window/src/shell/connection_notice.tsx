import { useConnectionState, useUpdateAvailable } from "@/api/realtime";
import { Button } from "@/ui/button";
import { Spinner } from "@/ui/spinner";

/** How the window stands with the server, when that is worth saying: quietly, over the lower edge of the content. */
export function ConnectionNotice() {
  const state = useConnectionState();
  const isUpdateAvailable = useUpdateAvailable();
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-[max(0.75rem,env(safe-area-inset-bottom))] z-40 flex justify-center px-4"
    >
      {state !== "connected" ? (
        // What is over in a moment is not worth a notice.
        <p className="flex items-center gap-2 rounded-full border border-border bg-popover px-3 py-1.5 text-sm text-popover-foreground shadow-md animate-late [animation-delay:1500ms]">
          <Spinner className="size-4" />
          {state === "connecting" ? "Connecting to the server…" : "Connection lost. Connecting again…"}
        </p>
      ) : (
        isUpdateAvailable && (
          <div className="pointer-events-auto flex items-center gap-3 rounded-full border border-border bg-popover py-1 pr-1 pl-4 text-sm text-popover-foreground shadow-md">
            The server was updated or restarted.
            <Button variant="primary" size="sm" className="rounded-full" onClick={() => location.reload()}>
              Reload to update
            </Button>
          </div>
        )
      )}
    </div>
  );
}
