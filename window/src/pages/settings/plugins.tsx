import ChevronRight from "lucide-react/icons/chevron-right";
import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { paths } from "@/lib/navigation";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty_state";
import { ErrorNotice } from "@/ui/error_notice";
import { PluginIcon } from "@/ui/plugin_icon";
import { Loading } from "@/ui/spinner";

/** The way to the settings of each plugin. */
export function PluginsSection() {
  const { data, isPending, isError, error, refetch, isFetching } = usePlugins();
  if (isPending) {
    return <Loading />;
  }
  if (isError) {
    return <ErrorNotice title="The plugins could not be loaded" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />;
  }
  if (data.length === 0) {
    return (
      <EmptyState
        title="No plugins installed"
        description="What a plugin lets you set appears here once it is installed."
        actions={
          <Button asChild variant="primary">
            <Link to={paths.plugins()}>Plugins</Link>
          </Button>
        }
      />
    );
  }
  return (
    <Card>
      <ul className="divide-y divide-border-hairline">
        {[...data]
          .sort((a, b) => a.name.localeCompare(b.name))
          .map((record) => (
            <li key={record.id}>
              <Link
                to={paths.pluginSettings(record.id)}
                className="flex min-h-12 items-center gap-3 px-4 py-2 text-sm hover:bg-state-hover"
              >
                <PluginIcon record={record} className="size-5" />
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{record.name}</span>
                  <span className="block truncate text-xs text-muted-foreground">{summary(record)}</span>
                </span>
                <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
              </Link>
            </li>
          ))}
      </ul>
    </Card>
  );
}

function summary({
  enabled,
  status,
  hasSettings,
  version,
}: {
  enabled: boolean;
  status: string;
  hasSettings: boolean;
  version: string;
}): string {
  const state = !enabled ? "disabled" : status === "needs-configuration" ? "setup required" : hasSettings ? "" : "nothing to set";
  return [`Version ${version}`, state].filter(Boolean).join(", ");
}
