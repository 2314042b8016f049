import { useMemo, useState } from "react";
import { Link, useParams } from "react-router";

import { ApiError } from "@/lib/api_error";
import { usePlugin } from "@/api/queries";
import { NotInstalled } from "@/pages/plugins/detail";
import { PageTitle } from "@/ui/page";
import { paths } from "@/lib/navigation";
import { Button, EmptyState, ErrorNotice, Loading } from "@/ui";

import { LogList } from "./log_list";
import { filterLog, kNoFilter, type LogFilter, logSources, toRows } from "./log_model";
import { LogToolbar } from "./log_toolbar";
import { type Log, useLog } from "./use_log";

/** `/settings/plugins/:pluginId/logs`: the live log of one plugin. */
export default function PluginLogsPage() {
  const { pluginId = "" } = useParams();
  const plugin = usePlugin(pluginId);
  if (plugin.data === undefined && plugin.error instanceof ApiError && plugin.error.status === 404) {
    return <NotInstalled pluginId={pluginId} />;
  }
  return <PluginLog key={pluginId} pluginId={pluginId} name={plugin.data?.name ?? pluginId} />;
}

function PluginLog({ pluginId, name }: { pluginId: string; name: string }) {
  const log = useLog(pluginId);
  const [filter, setFilter] = useState<LogFilter>(kNoFilter);
  const [isFollowing, setFollowing] = useState(true);
  const { entries } = log.buffer;
  const shown = useMemo(() => filterLog(entries, filter), [entries, filter]);
  const rows = useMemo(() => toRows(shown), [shown]);
  const sources = useMemo(() => logSources(entries), [entries]);
  return (
    <div className="flex h-full min-h-96 min-w-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-4 pb-3 md:px-6">
        <PageTitle className="min-w-0">{name} logs</PageTitle>
        <div className="flex gap-2 sm:ml-auto">
          <Button size="sm" asChild>
            <Link to={paths.pluginDetail(pluginId)}>Details</Link>
          </Button>
          <Button size="sm" asChild>
            <Link to={paths.pluginSettings(pluginId)}>Settings</Link>
          </Button>
        </div>
      </header>
      <LogToolbar
        pluginId={pluginId}
        filter={filter}
        onFilter={setFilter}
        sources={sources}
        shown={shown}
        total={entries.length}
        isFollowing={isFollowing}
        onFollowing={setFollowing}
      />
      {log.failure !== null && (
        <ErrorNotice className="mx-4 mb-3 md:mx-6" title="New lines cannot be read at the moment" error={log.failure} />
      )}
      {log.hasOlder && (
        <div className="border-t border-border-hairline px-4 py-1.5 md:px-6">
          <Button size="sm" variant="ghost" isBusy={log.isLoadingOlder} onClick={log.loadOlder}>
            Load older lines
          </Button>
        </div>
      )}
      {rows.length > 0 ? (
        <LogList rows={rows} isFollowing={isFollowing} onFollowing={setFollowing} />
      ) : (
        <NothingShown log={log} onClear={() => setFilter(kNoFilter)} />
      )}
    </div>
  );
}

function NothingShown({ log, onClear }: { log: Log; onClear(): void }) {
  if (log.buffer.cursor === null) {
    return log.failure === null ? <Loading label="Reading the log…" /> : null;
  }
  return log.buffer.entries.length === 0 ? (
    <EmptyState
      title="The log is empty"
      description={
        <>
          What the plugin writes with <code>svc.log</code> appears here, as do failures of its user interface.
        </>
      }
    />
  ) : (
    <EmptyState
      title="No line matches"
      description="Lines that match appear here as they are written."
      actions={<Button onClick={onClear}>Show all lines</Button>}
    />
  );
}
