import { Link } from "react-router";

import { useSystemConfig } from "@/api/queries";
import { useConnectionState } from "@/api/realtime";
import { kDocs } from "@/lib/docs";
import { paths } from "@/lib/navigation";
import { useActivePlugins } from "@/plugins/registry";
import { Card } from "@/ui/card";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";

const kStates = { connecting: "Connecting", connected: "Connected", reconnecting: "Connection lost, connecting again" };

/** What runs here, in the words a report needs. */
export function AboutSection() {
  const config = useSystemConfig();
  const connection = useConnectionState();
  const active = useActivePlugins().length;
  if (config.isPending) {
    return <Loading />;
  }
  if (config.isError) {
    return (
      <ErrorNotice
        title="The versions could not be read"
        error={config.error}
        onRetry={() => void config.refetch()}
        isRetrying={config.isFetching}
      />
    );
  }
  const { version, sdkVersion, dataDir, serverUrl, timezone } = config.data;
  const facts: readonly [string, string][] = [
    ["svc", version],
    ["Plugin SDK", sdkVersion],
    ["Server", serverUrl],
    ["Connection", kStates[connection]],
    ["Plugins in this window", String(active)],
    ["Data directory", dataDir],
    ["Time zone of schedules", timezone],
    ["Browser", navigator.userAgent],
  ];
  return (
    <Card className="p-4">
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
        {facts.map(([term, value]) => (
          <div key={term} className="contents">
            <dt className="text-muted-foreground">{term}</dt>
            <dd className="mb-2 wrap-anywhere sm:mb-0">{value}</dd>
          </div>
        ))}
        <dt className="text-muted-foreground">Documentation</dt>
        <dd>
          <a href={kDocs} target="_blank" rel="noopener" className="text-link underline-offset-2 hover:underline">
            of this version
          </a>
        </dd>
        <dt className="text-muted-foreground">Log</dt>
        <dd>
          <Link to={paths.log()} className="text-link underline-offset-2 hover:underline">
            of the server and all plugins
          </Link>
        </dd>
      </dl>
    </Card>
  );
}
