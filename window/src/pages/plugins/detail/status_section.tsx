import { Link } from "react-router";

import type { PluginErrorInfo, PluginRecord } from "@/api/records";
import { paths } from "@/lib/navigation";
import { Banner, Button, Card, Section } from "@/ui";

import { reloadPlugin, useAction } from "@/pages/plugins/actions";
import { CopyButton } from "@/ui/copy_button";
import { formatDuration, formatTime } from "@/lib/format";
import { Fact, Facts } from "@/ui/page";
import { statusBadge, statusHint, statusName } from "@/pages/plugins/status";
import { TimeAgo } from "@/ui/time_ago";
import { traceText } from "@/lib/trace_text";

/** How the plugin is, why, and what helps. */
export function StatusSection({ record }: { record: PluginRecord }) {
  const { loadedAt, loadMs, generation, counters } = record;
  const trouble = [
    counters.outOfBandErrors > 0 && `${counters.outOfBandErrors} errors outside of calls`,
    counters.watchdogStalls > 0 && `${counters.watchdogStalls} stalls of its event loop`,
    counters.terminations > 0 && `${counters.terminations} terminations`,
    counters.heldCalls > 0 && `${counters.heldCalls} calls held during reloads`,
  ].filter(Boolean);
  return (
    <Section title="Status">
      <StatusBanner record={record} />
      <Card className="flex flex-col gap-4 px-4 py-3">
        <Facts>
          <Fact term="Status">{statusName(record.status)}</Fact>
          {record.statusDetail !== null && statusBadge(record.status) === null && <Fact term="Detail">{record.statusDetail}</Fact>}
          <Fact term="Generation">
            {generation === 0 ? "Never loaded" : generation}
            {loadedAt !== null && (
              <>
                {", loaded "}
                <TimeAgo at={loadedAt} />
                {loadMs !== null && ` in ${formatDuration(loadMs)}`}
              </>
            )}
          </Fact>
          {trouble.length > 0 && <Fact term="Counted">{trouble.join(", ")}</Fact>}
        </Facts>
        {record.lastError !== null && <LastError error={record.lastError} />}
        {record.problems.length > 0 && (
          <div className="text-sm">
            <h3 className="font-medium">Problems</h3>
            <ul className="mt-1 list-disc pl-5">
              {record.problems.map(({ code, message }, index) => (
                <li key={`${code}-${index}`} className="wrap-anywhere">
                  {message} <span className="text-xs text-muted-foreground">({code})</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {record.unsupported.length > 0 && (
          <p className="text-sm wrap-anywhere">
            <span className="font-medium">Accepted without effect:</span> {record.unsupported.join(", ")}. This version of the service does
            not support them.
          </p>
        )}
      </Card>
    </Section>
  );
}

function StatusBanner({ record }: { record: PluginRecord }) {
  const action = useAction(record.id);
  const badge = statusBadge(record.status);
  if (badge === null || record.status === "starting") {
    return null;
  }
  const hint = statusHint(record);
  return (
    <Banner
      tone={badge.tone === "error" ? "error" : "warning"}
      role="status"
      title={badge.label}
      actions={
        record.status === "needs-configuration" ? (
          <Button size="sm" asChild>
            <Link to={paths.pluginSettings(record.id)}>Open settings</Link>
          </Button>
        ) : (
          <Button
            size="sm"
            isBusy={action.busy !== null}
            onClick={() => void action.run("reload", `${record.name} could not be reloaded`, () => reloadPlugin(record.id, record.name))}
          >
            Reload
          </Button>
        )
      }
    >
      {record.statusDetail !== null && <p className="whitespace-pre-wrap text-foreground wrap-anywhere">{record.statusDetail}</p>}
      {hint !== null && <p className="mt-1">{hint}</p>}
    </Banner>
  );
}

function LastError({ error }: { error: PluginErrorInfo }) {
  const text = [`${error.source} at ${new Date(error.at).toISOString()}`, traceText(error.message, error.stack)].join("\n");
  return (
    <div className="min-w-0 text-sm">
      <div className="flex items-center gap-2">
        <h3 className="font-medium">Last error</h3>
        <CopyButton text={text} label="Copy the error" />
      </div>
      <p className="text-xs text-muted-foreground">
        <TimeAgo at={error.at} /> ({formatTime(error.at)}), from {error.source}
      </p>
      <Trace message={error.message} stack={error.stack} />
    </div>
  );
}

/** A message, and its stack when it has one. The stack begins with the message. */
export function Trace({ message, stack }: { message: string; stack: string | null }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Message and stack"
      className="mt-1 max-h-80 overflow-auto rounded-md bg-surface-recessed-solid px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
    >
      {traceText(message, stack)}
    </pre>
  );
}
