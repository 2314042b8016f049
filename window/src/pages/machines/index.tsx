import Server from "lucide-react/icons/server";
import { Link, useParams } from "react-router";

import { useSystemConfig } from "@/api/queries";
import { SettingsPage } from "@/pages/settings/frame";
import { Button } from "@/ui/button";
import { Card, Section } from "@/ui/card";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

/** `/settings/machines`, and one of them. Only the machine of the service itself exists: there is nothing to enroll yet. */
export default function MachinesPage() {
  const { hostId } = useParams();
  const config = useSystemConfig();
  if (hostId !== undefined) {
    return (
      <EmptyState
        as="h1"
        icon={<Server />}
        title="This machine is not known"
        description={`No machine “${hostId}” is connected. Further machines cannot be connected in this version of the service.`}
        actions={
          <Button asChild>
            <Link to="/settings/machines">Machines</Link>
          </Button>
        }
      />
    );
  }
  return (
    <SettingsPage section="machines" title="Machines">
      <Section title="This machine" description="Plugins and everything they start run here.">
        {config.isPending ? (
          <Loading />
        ) : config.isError ? (
          <ErrorNotice title="The machine could not be read" error={config.error} onRetry={() => void config.refetch()} isRetrying={config.isFetching} />
        ) : (
          <Card className="flex items-start gap-3 p-4 text-sm">
            <Server aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
            <dl className="grid min-w-0 grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
              <dt className="text-muted-foreground">Address</dt>
              <dd className="font-mono text-xs/5 wrap-anywhere">{config.data.serverUrl}</dd>
              <dt className="text-muted-foreground">Data</dt>
              <dd className="font-mono text-xs/5 wrap-anywhere">{config.data.dataDir}</dd>
              <dt className="text-muted-foreground">Time zone</dt>
              <dd>{config.data.timezone}</dd>
            </dl>
          </Card>
        )}
      </Section>
      <p className="text-sm text-muted-foreground">Further machines cannot be connected in this version of the service.</p>
    </SettingsPage>
  );
}
