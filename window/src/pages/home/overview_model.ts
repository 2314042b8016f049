import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { PluginStatus } from "#sdk/record.js";

import type { PluginRecord } from "@/api/records";
import { paths } from "@/lib/navigation";
import { isServing } from "@/pages/plugins/status";
import { threadName } from "@/sdk_app/thread_records";
import { attentionOf } from "@/threads/attention";

/** What did not work, and where more is said of it. */
export interface Failure {
  readonly key: string;
  readonly name: string;
  readonly text: string;
  /** Address inside the window. */
  readonly to: string;
  /** Epoch milliseconds; null where it is not known. */
  readonly at: number | null;
}

/** A run of a schedule to come. */
export interface NextRun {
  readonly key: string;
  readonly plugin: PluginRecord;
  readonly name: string;
  readonly at: number;
}

export interface Overview {
  /** Threads that wait for an answer, the longest wait first. */
  readonly waiting: readonly PluginSidebarThread[];
  /** Threads that are at work, the newest first. */
  readonly working: readonly PluginSidebarThread[];
  /** The newest first. */
  readonly failed: readonly Failure[];
  /** The soonest first. */
  readonly next: readonly NextRun[];
}

const kAtWork: ReadonlySet<PluginSidebarThread["status"]> = new Set(["starting", "active", "stopping"]);

const kFailures: Partial<Record<PluginStatus, string>> = {
  error: "It does not run.",
  incompatible: "It needs another version of the service.",
  missing: "Its files are gone.",
  degraded: "A part of it does not run.",
  "needs-configuration": "Settings are missing.",
};

function failuresOf(plugin: PluginRecord): Failure[] {
  const { id, name, status, statusDetail, lastError, services, schedules } = plugin;
  const to = paths.pluginDetail(id);
  const text = kFailures[status];
  const own = text === undefined ? [] : [{ key: id, name, text: statusDetail ?? text, to, at: lastError?.at ?? null }];
  if (!isServing(status)) {
    return own;
  }
  return [
    ...own,
    ...services.flatMap((service) =>
      service.state === "backoff" && service.lastError !== null
        ? [
            {
              key: `${id}/service/${service.name}`,
              name: `${name}: ${service.name}`,
              text: service.lastError.message,
              to,
              at: service.lastError.at,
            },
          ]
        : [],
    ),
    ...schedules.flatMap((schedule) =>
      schedule.lastStatus === "error"
        ? [
            {
              key: `${id}/schedule/${schedule.name}`,
              name: `${name}: ${schedule.name}`,
              text: schedule.lastError ?? "The last run failed.",
              to,
              at: schedule.lastRunAt,
            },
          ]
        : [],
    ),
  ];
}

/** What goes on in the service, from its lists. */
export function overviewOf(plugins: readonly PluginRecord[], threads: readonly PluginSidebarThread[]): Overview {
  const kept = threads.filter(({ isArchived }) => !isArchived);
  const failedThreads = kept
    .filter((thread) => attentionOf(thread) === "failed")
    .map((thread) => ({
      key: `thread/${thread.id}`,
      name: threadName(thread),
      text: "The last turn failed.",
      to: paths.thread(thread.id),
      at: thread.latestAttentionAt,
    }));
  return {
    waiting: kept.filter((thread) => attentionOf(thread) === "asks").sort((a, b) => a.latestAttentionAt - b.latestAttentionAt),
    working: kept
      .filter((thread) => kAtWork.has(thread.status) && attentionOf(thread) !== "asks")
      .sort((a, b) => b.updatedAt - a.updatedAt),
    failed: [...failedThreads, ...plugins.flatMap(failuresOf)].sort((a, b) => (b.at ?? 0) - (a.at ?? 0)),
    next: plugins
      .filter(({ status }) => isServing(status))
      .flatMap((plugin) => plugin.schedules.map(({ name, nextRunAt }) => ({ key: `${plugin.id}/${name}`, plugin, name, at: nextRunAt })))
      .sort((a, b) => a.at - b.at),
  };
}
