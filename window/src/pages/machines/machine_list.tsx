import Plus from "lucide-react/icons/plus";
import { useState } from "react";

import { useHosts } from "@/api/hosts";
import { SettingsPage } from "@/pages/settings/frame";
import { Button, Card, EmptyState, ErrorNotice, Loading, Section } from "@/ui";

import { JoinDialog } from "./join_dialog";
import { MachineRow } from "./machine_row";

/** `/settings/machines`: every machine, the server's own first. */
export function MachineList() {
  const hosts = useHosts();
  const [isJoining, setJoining] = useState(false);
  return (
    <SettingsPage section="machines" title="Machines">
      <Section
        title="All machines"
        description="Plugins can run parts of themselves on these machines: their host entries."
        actions={
          <Button onClick={() => setJoining(true)}>
            <Plus aria-hidden />
            Add machine
          </Button>
        }
      >
        {hosts.data !== undefined ? (
          <Card>
            {hosts.data.length === 0 ? (
              <EmptyState title="No machine yet" description="Add one with a join code: the server's own machine is missing, too." />
            ) : (
              <ul aria-label="Machines" className="divide-y divide-border-hairline">
                {hosts.data.map((host) => (
                  <MachineRow key={host.id} host={host} />
                ))}
              </ul>
            )}
          </Card>
        ) : hosts.isError ? (
          <ErrorNotice
            title="The machines could not be read"
            error={hosts.error}
            onRetry={() => void hosts.refetch()}
            isRetrying={hosts.isFetching}
          />
        ) : (
          <Loading />
        )}
        {hosts.data !== undefined && hosts.isError && (
          <ErrorNotice
            title="The list may be out of date"
            error={hosts.error}
            onRetry={() => void hosts.refetch()}
            isRetrying={hosts.isFetching}
          />
        )}
      </Section>
      <JoinDialog open={isJoining} onOpenChange={setJoining} />
    </SettingsPage>
  );
}
