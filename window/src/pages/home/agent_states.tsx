import { useState } from "react";

import { useHosts } from "@/api/hosts";
import { lookForAgents, useProviderStates } from "@/sdk_app/threads_data";
import { Button } from "@/ui/button";
import { ErrorNotice } from "@/ui/error_notice";

/** What machines say of the agents they know: what was looked for, and what is missing of each. */
export function AgentStates() {
  const { data: states, error, refetch, isFetching } = useProviderStates();
  const hosts = useHosts().data ?? [];
  const [isLooking, setLooking] = useState(false);
  const look = async () => {
    setLooking(true);
    await lookForAgents().finally(() => setLooking(false));
  };
  if (error !== null) {
    return (
      <ErrorNotice title="What the machines have could not be read" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />
    );
  }
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
      {states !== undefined && states.length > 0 && (
        <details className="min-w-0 flex-1 text-sm">
          <summary className="cursor-pointer text-muted-foreground">What was looked for, and what is missing</summary>
          <dl className="mt-2 flex flex-col gap-1.5">
            {states.map(({ providerId, hostId, available, unavailableReason }) => (
              <div key={`${hostId} ${providerId}`} className="min-w-0 wrap-anywhere">
                <dt className="inline font-medium">
                  {providerId}
                  {hosts.length > 1 && ` on ${hosts.find(({ id }) => id === hostId)?.name ?? hostId}`}
                </dt>
                <dd className="inline text-muted-foreground">
                  {" "}
                  – {available ? "ready" : (unavailableReason ?? "its machine does not say why")}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <Button size="sm" isBusy={isLooking} onClick={() => void look()}>
        Look again
      </Button>
    </div>
  );
}
