import Blocks from "lucide-react/icons/blocks";
import CircleOff from "lucide-react/icons/circle-off";
import FileQuestion from "lucide-react/icons/file-question-mark";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Unplug from "lucide-react/icons/unplug";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";

import { api } from "@/api/http";
import { invalidatePlugins, usePlugin, usePlugins } from "@/api/queries";
import { FailureCard, kPhases } from "@/plugins/failure_details";
import { placeholderState, type PlaceholderState } from "@/plugins/placeholder_state";
import { useActivePlugins, useDiagnostics } from "@/plugins/registry";
import { navigation, paths } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { usePageTitle } from "@/shell/page_title";
import { kMainId } from "@/lib/main_region";
import { TitleBar } from "@/shell/title_bar";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";
import { PluginIcon } from "@/ui/plugin_icon";
import { Loading } from "@/ui/spinner";

import { useRetry } from "./stale_mark";

export interface PlaceholderProps {
  pluginId: string;
  panelPath: string;
  /** Whether the plugin's app entry is in use; then only this panel is missing. */
  isActive: boolean;
}

/** A plugin's page while, or because, the plugin has nothing to show there. */
export function Placeholder({ pluginId, panelPath, isActive }: PlaceholderProps) {
  const { data, isError } = usePlugins();
  const diagnostics = useDiagnostics(pluginId);
  const record = data?.find(({ id }) => id === pluginId);
  // The server loads the plugin that is asked for before the others.
  usePlugin(pluginId, record?.status === "starting");
  const name = record?.name ?? pluginId;
  const state = placeholderState({ record, areRecordsKnown: data !== undefined, isError, diagnostics, isActive });
  usePageTitle(name);
  return (
    <main id={kMainId} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      <TitleBar>
        {record === undefined ? <Blocks aria-hidden className="size-4 shrink-0 text-muted-foreground" /> : <PluginIcon record={record} />}
        <h1 tabIndex={-1} className="truncate text-sm font-semibold">
          {name}
        </h1>
      </TitleBar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Explanation state={state} pluginId={pluginId} name={name} panelPath={panelPath} />
      </div>
    </main>
  );
}

function DetailLink({ pluginId, children = "About this plugin" }: { pluginId: string; children?: ReactNode }) {
  return (
    <Button asChild>
      <Link to={paths.pluginDetail(pluginId)}>{children}</Link>
    </Button>
  );
}

function Explanation({ state, pluginId, name, panelPath }: { state: PlaceholderState; pluginId: string; name: string; panelPath: string }) {
  switch (state.kind) {
    case "loading":
      return <Loading label={`Loading ${name}…`} />;
    case "unreachable":
      return (
        <EmptyState
          icon={<Unplug />}
          title="The server does not answer"
          description="The page opens by itself as soon as the server is reached again."
        />
      );
    case "removed":
      return (
        <EmptyState
          icon={<CircleOff />}
          title="This plugin is not installed"
          description={`Nothing called “${pluginId}” is installed here. It may have been removed, or the address is mistyped.`}
          actions={
            <Button asChild variant="primary">
              <Link to={paths.plugins()}>Installed plugins</Link>
            </Button>
          }
        />
      );
    case "held":
      return (
        <EmptyState
          icon={<CircleOff />}
          title={`${name} is held by safe mode`}
          description="Plugins that are not part of the service do not run while safe mode is on. Its pages return when it is switched off."
          actions={
            <Button asChild>
              <Link to={paths.plugins()}>Installed plugins</Link>
            </Button>
          }
        />
      );
    case "disabled":
      return <Disabled pluginId={pluginId} name={name} />;
    case "stopped":
      return (
        <EmptyState
          icon={<TriangleAlert />}
          title={`${name} is not running`}
          description={state.detail ?? `Its state is “${state.status}”.`}
          actions={<DetailLink pluginId={pluginId}>What happened</DetailLink>}
        />
      );
    case "failed":
      return <Failed pluginId={pluginId} name={name} />;
    case "needs-update":
      return (
        <EmptyState
          icon={<TriangleAlert />}
          title={`${name} needs an update`}
          description="Its pages were built for another version of the service and cannot be shown. Everything it does on the server keeps working."
          actions={<DetailLink pluginId={pluginId} />}
        />
      );
    case "no-app":
      return (
        <EmptyState
          icon={<FileQuestion />}
          title={`${name} has no pages`}
          description="It works on the server only. What it offers stands on its detail page."
          actions={<DetailLink pluginId={pluginId} />}
        />
      );
    case "unknown-panel":
      return (
        <EmptyState
          icon={<FileQuestion />}
          title="There is no such page"
          description={`${name} has no page “${panelPath}”. It may have been renamed in a newer version.`}
          actions={<OtherPanels pluginId={pluginId} />}
        />
      );
  }
}

/** Where else the plugin can be looked at. */
function OtherPanels({ pluginId }: { pluginId: string }) {
  const panels = useActivePlugins().find((plugin) => plugin.pluginId === pluginId)?.app.navPanels ?? [];
  return (
    <>
      {panels.map(({ id, title, path }) => (
        <Button asChild key={id} variant="primary">
          <Link to={paths.pluginPanel(pluginId, path)}>{title}</Link>
        </Button>
      ))}
      <DetailLink pluginId={pluginId} />
    </>
  );
}

function Disabled({ pluginId, name }: { pluginId: string; name: string }) {
  const [isBusy, setBusy] = useState(false);
  const enable = async () => {
    setBusy(true);
    try {
      await api("POST", `/plugins/${encodeURIComponent(pluginId)}/enable`, { body: {} });
      invalidatePlugins();
    } catch (failure) {
      notify({
        kind: "error",
        pluginId,
        title: `${name} could not be enabled`,
        description: failure instanceof Error ? failure.message : String(failure),
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <EmptyState
      icon={<CircleOff />}
      title={`${name} is disabled`}
      description="Its pages return when it is enabled again. Its data is kept."
      actions={
        <>
          <Button variant="primary" isBusy={isBusy} onClick={() => void enable()}>
            Enable
          </Button>
          <DetailLink pluginId={pluginId} />
        </>
      }
    />
  );
}

function Failed({ pluginId, name }: { pluginId: string; name: string }) {
  const failure = useDiagnostics(pluginId)?.lastFailure;
  const { isRetrying, retry } = useRetry(pluginId);
  return (
    <EmptyState
      icon={<TriangleAlert />}
      title={`${name} cannot be shown`}
      description={failure === undefined ? "Its part of the window failed." : `Its part of the window failed: ${kPhases[failure.phase]}.`}
      className="max-w-xl"
      actions={
        <FailureCard failure={failure}>
          <Button variant="primary" isBusy={isRetrying} onClick={() => void retry()}>
            Retry
          </Button>
          <DetailLink pluginId={pluginId} />
          <Button onClick={() => navigation.toPluginLogs(pluginId)}>Logs</Button>
        </FailureCard>
      }
    />
  );
}
