import type { PluginRecord } from "@/api/records";
import { Card, Section } from "@/ui";

import { counted, formatBytes, formatDuration } from "@/lib/format";
import { Fact, Facts } from "@/ui/page";
import { kUsageSamples, type UsageSample } from "@/pages/plugins/usage_samples";
import { useUsage } from "@/pages/plugins/use_usage";
import { Chart } from "./chart";

const rate = (value: number) => `${value >= 10 ? Math.round(value) : Number(value.toFixed(1))}/s`;

const kCharts: readonly { title: string; of(sample: UsageSample): number; format(value: number): string; least: number }[] = [
  { title: "CPU", of: (sample) => sample.cpuPercent, format: (value) => `${Number(value.toFixed(1))} %`, least: 10 },
  { title: "Heap", of: (sample) => sample.heapBytes, format: formatBytes, least: 1024 * 1024 },
  { title: "Event-loop delay", of: (sample) => sample.loopDelayP99Ms, format: formatDuration, least: 10 },
  { title: "Calls", of: (sample) => sample.callsPerSecond, format: rate, least: 1 },
];

/** What the plugin uses, now and over the last two minutes. */
export function UsageSection({ record }: { record: PluginRecord }) {
  const { history, failure } = useUsage(record.id);
  const { count, totalMs, maxMs, errorCount } = record.handlerStats;
  return (
    <Section title="Usage">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {kCharts.map(({ title, of, format, least }) => (
          <Chart key={title} title={title} values={history.samples.map(of)} capacity={kUsageSamples} format={format} least={least} />
        ))}
      </div>
      {failure !== null && <p className="text-xs text-muted-foreground">The measurements wait for the server: {failure}</p>}
      <Card className="px-4 py-3">
        <Facts>
          <Fact term="Handlers">
            {count === 0
              ? "Not called yet"
              : `${counted(count, "call")}, ${formatDuration(totalMs / count)} on average, ${formatDuration(maxMs)} at most, ${formatDuration(totalMs)} in total`}
          </Fact>
          <Fact term="Failed calls">{errorCount === 0 ? "None" : errorCount.toLocaleString("en")}</Fact>
        </Facts>
      </Card>
    </Section>
  );
}
