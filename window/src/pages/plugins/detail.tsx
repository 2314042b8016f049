import Blocks from "lucide-react/icons/blocks";
import { useParams } from "react-router";

import { ApiError } from "@/lib/api_error";
import { usePlugin } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { useDiagnostics } from "@/plugins/registry";
import { navigation } from "@/lib/navigation";
import { Button, EmptyState, ErrorNotice, Loading } from "@/ui";

import { overviewOf } from "./data";
import { ActivitySections } from "./detail/activity_sections";
import { ContentsSection } from "./detail/contents_section";
import { DetailHeader } from "./detail/detail_header";
import { RpcSection } from "./detail/rpc_section";
import { HostSection } from "./detail/host_section";
import { OverviewSection } from "./detail/overview_section";
import { SourceSection } from "./detail/source_section";
import { StatusSection } from "./detail/status_section";
import { UsageSection } from "./detail/usage_section";
import { VersionSection } from "./detail/version_section";
import { ToolsSection } from "./detail/tools_section";
import { StaleBanner, WindowSection } from "./detail/window_section";
import { Page, PageTitle } from "@/ui/page";

/** `/plugins/:pluginId`: everything about one plugin. */
export default function PluginDetailPage() {
  const { pluginId = "" } = useParams();
  const plugin = usePlugin(pluginId);
  if (plugin.data !== undefined) {
    return <PluginDetail key={pluginId} record={plugin.data} />;
  }
  if (plugin.error instanceof ApiError && plugin.error.status === 404) {
    return <NotInstalled pluginId={pluginId} />;
  }
  return (
    <Page>
      <PageTitle>{pluginId}</PageTitle>
      {plugin.isError ? (
        <ErrorNotice
          title="The plugin could not be loaded"
          error={plugin.error}
          isRetrying={plugin.isFetching}
          onRetry={() => void plugin.refetch()}
        />
      ) : (
        <Loading label="Loading the plugin…" />
      )}
    </Page>
  );
}

/** Shared by the pages of one plugin. */
export function NotInstalled({ pluginId }: { pluginId: string }) {
  return (
    <Page>
      <EmptyState
        as="h1"
        icon={<Blocks />}
        title={`No plugin “${pluginId}” is installed`}
        description="It may have been removed, or the address is wrong."
        actions={<Button onClick={() => navigation.toPlugins()}>All plugins</Button>}
      />
    </Page>
  );
}

function PluginDetail({ record }: { record: PluginRecord }) {
  const diagnostics = useDiagnostics(record.id);
  return (
    <Page>
      <DetailHeader record={record} />
      {diagnostics !== undefined && <StaleBanner record={record} diagnostics={diagnostics} />}
      <StatusSection record={record} />
      <VersionSection record={record} />
      <OverviewSection overview={overviewOf(record)} />
      <ActivitySections record={record} />
      <UsageSection record={record} />
      <ContentsSection record={record} />
      <ToolsSection record={record} />
      <RpcSection record={record} />
      <HostSection record={record} />
      {diagnostics !== undefined && <WindowSection diagnostics={diagnostics} />}
      <SourceSection record={record} />
    </Page>
  );
}
