import type { PluginRecord, PluginScheduleInfo, PluginServiceInfo } from "@/api/records";
import { notify } from "@/lib/notifications";
import { Badge, Button, Card, Section } from "@/ui";

import { runSchedule, useAction } from "@/pages/plugins/actions";
import { counted, formatTime } from "@/lib/format";
import { isServing } from "@/pages/plugins/status";
import { TimeAgo } from "@/ui/time_ago";

/** What the plugin does on its own: services that run, and schedules. */
export function ActivitySections({ record }: { record: PluginRecord }) {
  return (
    <>
      {record.services.length > 0 && (
        <Section title="Services">
          <Card>
            <ul className="divide-y divide-border-hairline">
              {record.services.map((service) => (
                <Service key={service.name} service={service} />
              ))}
            </ul>
          </Card>
        </Section>
      )}
      {record.schedules.length > 0 && (
        <Section title="Schedules">
          <Card>
            <ul className="divide-y divide-border-hairline">
              {record.schedules.map((schedule) => (
                <Schedule key={schedule.name} record={record} schedule={schedule} />
              ))}
            </ul>
          </Card>
        </Section>
      )}
    </>
  );
}

const kServiceTones = { running: "success", backoff: "warning", stopped: "neutral" } as const;
const kServiceNames = { running: "Running", backoff: "Waiting to restart", stopped: "Stopped" } as const;

function Service({ service }: { service: PluginServiceInfo }) {
  const { name, state, restarts, nextStartAt, lastError } = service;
  return (
    <li className="flex min-w-0 flex-col gap-0.5 px-4 py-2.5 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{name}</span>
        <Badge tone={kServiceTones[state]}>{kServiceNames[state]}</Badge>
        <span className="text-xs text-muted-foreground">
          {restarts > 0 && counted(restarts, "restart")}
          {nextStartAt !== null && (
            <>
              {restarts > 0 && ", "}next start <TimeAgo at={nextStartAt} />
            </>
          )}
        </span>
      </div>
      {lastError !== null && (
        <p className="text-xs text-destructive-text wrap-anywhere">
          {lastError.message} (<TimeAgo at={lastError.at} />)
        </p>
      )}
    </li>
  );
}

const kRunTones = { ok: "success", error: "error", running: "accent" } as const;
const kRunNames = { ok: "Succeeded", error: "Failed", running: "Running" } as const;

function Schedule({ record, schedule }: { record: PluginRecord; schedule: PluginScheduleInfo }) {
  const action = useAction(record.id);
  const { name, cron, timezone, nextRunAt, lastRunAt, lastStatus, lastError, lastRunMissed } = schedule;
  const run = () =>
    action.run("run", `The schedule ${name} could not be run`, async () => {
      await runSchedule(record.id, name);
      notify({
        kind: "info",
        title: `Started ${name}`,
        description: "Its result appears here and in the plugin's log.",
        pluginId: record.id,
      });
    });
  return (
    <li className="flex min-w-0 flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-2.5 text-sm">
      <div className="min-w-0 flex-1 basis-56">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          <code className="text-xs text-muted-foreground">{cron}</code>
          <span className="text-xs text-muted-foreground">{timezone}</span>
          {lastStatus !== null && <Badge tone={kRunTones[lastStatus]}>{kRunNames[lastStatus]}</Badge>}
        </div>
        <p className="text-xs text-muted-foreground">
          {isServing(record.status) ? (
            <>
              Next run <TimeAgo at={nextRunAt} /> ({formatTime(nextRunAt)})
            </>
          ) : (
            "Does not run while the plugin is not running"
          )}
          {lastRunAt !== null && (
            <>
              , last run <TimeAgo at={lastRunAt} />
              {lastRunMissed && ", after its time was missed"}
            </>
          )}
        </p>
        {lastError !== null && <p className="text-xs text-destructive-text wrap-anywhere">{lastError}</p>}
      </div>
      <Button
        size="sm"
        aria-label={`Run ${name} now`}
        disabled={!isServing(record.status)}
        isBusy={action.busy !== null || lastStatus === "running"}
        onClick={() => void run()}
      >
        Run now
      </Button>
    </li>
  );
}
