import { useMemo } from "react";
import { Link, useParams } from "react-router";

import { ApiError } from "@/lib/api_error";
import { usePlugin } from "@/api/queries";
import { NotInstalled } from "@/pages/plugins/detail";
import { paths } from "@/lib/navigation";
import { Button } from "@/ui";

import { pluginLog } from "./log_model";
import { LogView } from "./log_view";

/** `/settings/plugins/:pluginId/logs`: the live log of one plugin. */
export default function PluginLogsPage() {
  const { pluginId = "" } = useParams();
  const plugin = usePlugin(pluginId);
  const source = useMemo(() => pluginLog(pluginId), [pluginId]);
  if (plugin.data === undefined && plugin.error instanceof ApiError && plugin.error.status === 404) {
    return <NotInstalled pluginId={pluginId} />;
  }
  return (
    <LogView
      key={pluginId}
      source={source}
      title={`${plugin.data?.name ?? pluginId} logs`}
      fileName={pluginId}
      whatAppears={
        <>
          What the plugin writes with <code>svc.log</code> appears here, as do failures of its user interface.
        </>
      }
      actions={
        <>
          <Button size="sm" asChild>
            <Link to={paths.pluginDetail(pluginId)}>Details</Link>
          </Button>
          <Button size="sm" asChild>
            <Link to={paths.pluginSettings(pluginId)}>Settings</Link>
          </Button>
          <Button size="sm" asChild>
            <Link to={paths.log()}>All logs</Link>
          </Button>
        </>
      }
    />
  );
}
