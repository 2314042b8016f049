import Blocks from "lucide-react/icons/blocks";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useState } from "react";
import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { useAllDiagnostics } from "@/plugins/registry";
import { notify } from "@/lib/notifications";
import { paths } from "@/lib/navigation";
import { Button, EmptyState, ErrorNotice, Input, Loading } from "@/ui";

import { checkUpdates, useAction } from "./actions";
import { counted } from "@/lib/format";
import { JobList } from "./job_list";
import { searchPlugins, sortPlugins } from "./list_model";
import { PluginRow } from "./plugin_row";
import { SafeModeCard } from "./safe_mode_card";
import { UpdateAll } from "./update_all";

/** Every installed plugin with the one thing to know about it. */
export function InstalledView({ onInstall }: { onInstall(source: string | null): void }) {
  const [query, setQuery] = useState("");
  const plugins = usePlugins();
  const diagnostics = useAllDiagnostics();
  const action = useAction();

  const check = () =>
    action.run("check", "Could not look for updates", async () => {
      const found = (await checkUpdates()).filter(({ outcome }) => outcome === "update-available");
      notify({
        kind: "info",
        title: found.length === 0 ? "No updates" : `${counted(found.length, "update")} available`,
        ...(found.length === 0
          ? {}
          : { description: found.map(({ id, candidate }) => `${id} ${candidate?.version ?? ""}`.trim()).join(", ") }),
      });
    });

  if (plugins.data === undefined) {
    return plugins.isError ? (
      <ErrorNotice
        title="The plugins could not be loaded"
        error={plugins.error}
        isRetrying={plugins.isFetching}
        onRetry={() => void plugins.refetch()}
      />
    ) : (
      <Loading label="Loading plugins…" />
    );
  }
  const shown = sortPlugins(searchPlugins(plugins.data, query));
  return (
    <>
      <JobList onRetry={onInstall} />
      {plugins.data.length === 0 ? (
        <NoPlugins onInstall={() => onInstall(null)} />
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <Input
              type="search"
              aria-label="Search installed plugins"
              placeholder="Search installed plugins"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="max-w-sm min-w-40 flex-1"
            />
            <p role="status" className="text-sm text-muted-foreground">
              {query === "" ? counted(shown.length, "plugin") : `${shown.length} of ${plugins.data.length}`}
            </p>
            <div className="ml-auto flex flex-wrap items-center gap-2">
              <UpdateAll records={plugins.data} />
              <Button size="sm" isBusy={action.busy !== null} onClick={() => void check()}>
                {action.busy === null && <RefreshCw aria-hidden />}
                Check for updates
              </Button>
            </div>
          </div>
          {shown.length === 0 ? (
            <EmptyState
              title={`No plugin matches “${query}”`}
              description="The search looks at ids, names, descriptions, versions and sources."
              actions={<Button onClick={() => setQuery("")}>Clear the search</Button>}
            />
          ) : (
            <ul className="flex flex-col divide-y divide-border-hairline rounded-lg border border-border-hairline bg-card">
              {shown.map((record) => (
                <PluginRow key={record.id} record={record} ui={diagnostics.get(record.id)} />
              ))}
            </ul>
          )}
        </>
      )}
      <SafeModeCard />
    </>
  );
}

function NoPlugins({ onInstall }: { onInstall(): void }) {
  return (
    <EmptyState
      icon={<Blocks />}
      as="h2"
      title="No plugins installed"
      description={
        <>
          <p>Plugins add pages, commands, tools for agents and services that run in the background.</p>
          <p className="mt-2">
            Browse has small examples that come with the service, with their source. Make one in a terminal with{" "}
            <code>svc plugin new hello</code>, or install one. Two more come with the service: <code>builtin:plugin-author</code>, the
            guide, the reference and checks for you and your agents, and <code>builtin:machines</code>, with which agents work on your
            machines.
          </p>
        </>
      }
      actions={
        <>
          <Button variant="primary" onClick={onInstall}>
            Install from source
          </Button>
          <Button asChild>
            <Link to={paths.browsePlugins()}>Browse</Link>
          </Button>
        </>
      }
    />
  );
}
