import { type ReactNode, useEffect, useState } from "react";

import { useConnectionState, useUpdateAvailable } from "@/api/realtime";
import { Button } from "@/ui/button";
import { Spinner } from "@/ui/spinner";

/** What is over sooner is not worth a notice, in milliseconds. */
const kWorthSayingMs = 1500;

/** Whether something has been so for long enough to say it. */
function useLasts(isSo: boolean): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isSo) {
      return undefined;
    }
    const timer = setTimeout(() => setLasts(true), kWorthSayingMs);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [isSo]);
  return isSo && lasts;
}

/** How the window stands with the server, when that is worth saying: above the page and not over it, so that nothing is covered. */
export function ConnectionNotice() {
  const state = useConnectionState();
  const isUpdateAvailable = useUpdateAvailable();
  const isAway = useLasts(state !== "connected");
  return (
    <div role="status" aria-live="polite" className="shrink-0">
      {isAway ? (
        <Line>
          <p className="flex min-h-7 items-center gap-2">
            <Spinner className="size-4 shrink-0" />
            {state === "connecting" ? "Connecting to the server…" : "Connection lost. Connecting again…"}
          </p>
        </Line>
      ) : (
        state === "connected" &&
        isUpdateAvailable && (
          <Line>
            <p>The server was updated or restarted.</p>
            <Button variant="primary" size="sm" onClick={() => location.reload()}>
              Reload to update
            </Button>
          </Line>
        )
      )}
    </div>
  );
}

function Line({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-3 border-b border-border-seam bg-surface-recessed-solid px-4 py-1.5 text-sm text-foreground">
      {children}
    </div>
  );
}
