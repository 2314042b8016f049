import { useId } from "react";
import { Link, useParams } from "react-router";

import { ApiError } from "@/lib/api_error";
import { usePlugin } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { NotInstalled } from "@/pages/plugins/detail";
import { Page, PageTitle } from "@/ui/page";
import { isServing, statusBadge, statusHint, statusName } from "@/pages/plugins/status";
import { StatusBadge } from "@/pages/plugins/status_badge";
import { PluginSection } from "@/plugins/plugin_section";
import { type Registered, useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { paths } from "@/lib/navigation";
import { Banner, Button, ErrorNotice, Loading, PluginIcon } from "@/ui";

import { SettingsForm } from "./settings_form";
import { useSettingsForm } from "./use_settings_form";

/** `/settings/plugins/:pluginId`: the generated settings form of one plugin and its own sections. */
export default function PluginSettingsPage() {
  const { pluginId = "" } = useParams();
  const plugin = usePlugin(pluginId);
  if (plugin.data !== undefined) {
    return <PluginSettings key={pluginId} record={plugin.data} />;
  }
  if (plugin.error instanceof ApiError && plugin.error.status === 404) {
    return <NotInstalled pluginId={pluginId} />;
  }
  return (
    <Page>
      <PageTitle>Plugin settings</PageTitle>
      {plugin.isError ? (
        <ErrorNotice title="The plugin could not be loaded" error={plugin.error} onRetry={() => void plugin.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function PluginSettings({ record }: { record: PluginRecord }) {
  const badge = statusBadge(record.status);
  const sections = useRegistrations("settingsSections").filter(({ plugin }) => plugin.pluginId === record.id);
  return (
    <Page className="max-w-3xl">
      <header className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <PluginIcon record={record} className="size-6" />
        <PageTitle className="min-w-0">{record.name} settings</PageTitle>
        {badge !== null && <StatusBadge badge={badge} />}
        <div className="flex gap-2 sm:ml-auto">
          <Button size="sm" asChild>
            <Link to={paths.pluginDetail(record.id)}>Details</Link>
          </Button>
          <Button size="sm" asChild>
            <Link to={paths.pluginLogs(record.id)}>Logs</Link>
          </Button>
        </div>
      </header>
      {(record.status === "needs-configuration" || record.status === "degraded") && (
        <Banner tone="warning" role="status" title={record.statusDetail ?? statusName(record.status)}>
          {record.status === "needs-configuration"
            ? "Fill in what is missing; the plugin starts by itself after that."
            : statusHint(record)}
        </Banner>
      )}
      <GeneratedForm record={record} hasSections={sections.length > 0} />
      {isServing(record.status) && <OwnSections sections={sections} />}
    </Page>
  );
}

function GeneratedForm({ record, hasSections }: { record: PluginRecord; hasSections: boolean }) {
  const { model, query } = useSettingsForm(record.id);
  // A save may have the service load the plugin again; the form, and the focus in it, stay meanwhile.
  const isShown = isServing(record.status) || (record.status === "starting" && model !== null);
  if (!isShown) {
    return (
      <p className="text-sm text-muted-foreground">
        {reasonOf(record)}{" "}
        {record.status === "error" && record.hasSettings && (
          <>
            In a terminal, <code>svc plugin config {record.id}</code> shows and changes them.{" "}
          </>
        )}
        <Link to={paths.pluginDetail(record.id)} className="text-link underline underline-offset-4">
          Details
        </Link>
      </p>
    );
  }
  if (model !== null) {
    return <SettingsForm model={model} hasSections={hasSections} />;
  }
  return query.isError ? (
    <ErrorNotice
      title="The settings could not be loaded"
      error={query.error}
      isRetrying={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  ) : (
    <Loading label="Loading the settings…" />
  );
}

/** Why there is no form now, in one line. */
function reasonOf(record: PluginRecord): string {
  if (record.status === "disabled") {
    return record.enabled
      ? `The settings are not available: ${record.statusDetail ?? "the plugin is held"}.`
      : "The plugin is disabled. Enable it to change its settings.";
  }
  if (record.status === "starting") {
    return "The plugin is starting. Its settings appear when it runs.";
  }
  const detail = record.statusDetail === null ? "" : `: ${record.statusDetail.split("\n")[0]}`;
  return `The settings are not available while the status is ${statusName(record.status)}${detail}.`;
}

/** What the plugin adds below the generated form. */
function OwnSections({ sections }: { sections: readonly Registered<"settingsSections">[] }) {
  return sections.map((section) => <OwnSection key={section.registration.id} section={section} />);
}

function OwnSection({ section: { plugin, registration } }: { section: Registered<"settingsSections"> }) {
  const { id, title, description, component } = registration;
  const headingId = useId();
  const heading = title !== undefined && (
    <header>
      <h2 id={headingId} className="text-base font-semibold">
        {title}
      </h2>
      {description !== undefined && <p className="mt-0.5 text-sm text-muted-foreground">{description}</p>}
    </header>
  );
  return (
    <PluginSection {...(title === undefined ? {} : { labelledBy: headingId })} heading={heading}>
      <SlotMount plugin={plugin} slot="settingsSection" id={id} component={component} props={{}} />
    </PluginSection>
  );
}
