import type { PluginSourceDetail } from "#sdk/sdk_plugins.js";

import type { PluginRecord } from "@/api/records";
import { Card, ErrorNotice, Loading, Section } from "@/ui";

import { useSource } from "@/pages/plugins/data";
import { formatTime } from "@/lib/format";
import { Fact, Facts } from "@/ui/page";

/** Where the plugin comes from, exactly, and what it asks of the service. */
export function SourceSection({ record }: { record: PluginRecord }) {
  const source = useSource(record.id);
  return (
    <Section title="Source">
      <Card className="px-4 py-3">
        {source.data !== undefined ? (
          <SourceFacts record={record} source={source.data} />
        ) : source.isError ? (
          <ErrorNotice title="The source could not be read" error={source.error} onRetry={() => void source.refetch()} />
        ) : (
          <Loading className="min-h-16" />
        )}
      </Card>
    </Section>
  );
}

function SourceFacts({ record, source }: { record: PluginRecord; source: PluginSourceDetail }) {
  const rows: [string, string | undefined][] = [
    ["Marketplace", record.catalogMarketplaceName],
    ["Directory inside", source.subdirectory],
    ["Range", source.range],
    ["Tag prefix", source.tagPrefix],
    ["Tag", source.resolvedTag],
    ["Registry", source.registry],
    ["Integrity", source.integrity],
  ];
  const engines = [
    source.engines.svc !== null && `svc ${source.engines.svc}`,
    source.engines.svcPluginSdk !== null && `plugin SDK ${source.engines.svcPluginSdk}`,
  ].filter(Boolean);
  return (
    <Facts>
      <Fact term="Requested">
        <code>{source.requested}</code>
      </Fact>
      <Fact term="Resolved">
        <code>{source.resolved}</code>
      </Fact>
      {rows.map(([term, value]) =>
        value === undefined ? null : (
          <Fact key={term} term={term}>
            <code>{value}</code>
          </Fact>
        ),
      )}
      <Fact term="Asks for">{engines.length === 0 ? "Any version of the service" : engines.join(", ")}</Fact>
      <Fact term="Installed">{formatTime(source.installedAt)}</Fact>
    </Facts>
  );
}
