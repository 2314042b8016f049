import { api } from "@/api/http";
import { invalidatePlugins, pluginsQuery, queryClient } from "@/api/queries";
import { navigation } from "@/lib/navigation";
import { notify } from "@/lib/notifications";

import { fetchJobs, kJobPoll, keys } from "./data";
import { type InstallJob, type InstallRequest, isActiveJob, updatedInstead } from "./install_model";
import { statusBadge } from "./status";

/** What to install: a source, or a catalogue entry with the source the user has seen. */
export type InstallTarget =
  { kind: "source"; request: InstallRequest } | { kind: "catalog"; entryId: string; marketplace: string; confirmedSource: string };

// Jobs that a dialog shows; their end is told there and not in a toast.
const watched = new Map<string, number>();

/** A dialog shows the job until the returned function is called. */
export function watchJob(id: string): () => void {
  watched.set(id, (watched.get(id) ?? 0) + 1);
  return () => {
    const left = (watched.get(id) ?? 1) - 1;
    if (left === 0) {
      watched.delete(id);
    } else {
      watched.set(id, left);
    }
  };
}

/** Starts a job of the service. It goes on when the dialog or the window is closed; its end is told by a notification. */
export async function startInstall(target: InstallTarget): Promise<InstallJob> {
  const [path, body] =
    target.kind === "source"
      ? ["/plugins/install", target.request]
      : ["/plugin-catalog/install", { entryId: target.entryId, marketplace: target.marketplace, confirmedSource: target.confirmedSource }];
  const { job } = await api<{ job: InstallJob }>("POST", path, { body, headers: { prefer: "respond-async" } });
  queryClient.setQueryData<InstallJob[]>(keys.jobs, (jobs = []) => [job, ...jobs.filter(({ id }) => id !== job.id)]);
  void followJob(job.id);
  return job;
}

export async function cancelInstall(id: string): Promise<void> {
  await api("POST", `/plugins/install-jobs/${encodeURIComponent(id)}/cancel`);
  await queryClient.invalidateQueries({ queryKey: keys.jobs });
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for the end of a job, also while the service is away, and tells it unless a dialog does. */
async function followJob(id: string): Promise<void> {
  for (;;) {
    await wait(kJobPoll);
    const jobs = await queryClient.fetchQuery({ queryKey: keys.jobs, queryFn: () => fetchJobs(), staleTime: 0 }).catch(() => null);
    const job = jobs?.find((each) => each.id === id);
    if (jobs !== null && (job === undefined || !isActiveJob(job))) {
      invalidatePlugins();
      if (job !== undefined && !watched.has(id)) {
        tellEnd(job);
      }
      return;
    }
  }
}

/** Installed is not running: a plugin that failed to load is told as that. */
export async function tellInstalled(pluginId: string, action?: { label: string; run(): void }): Promise<void> {
  const records = await queryClient.fetchQuery({ ...pluginsQuery, staleTime: 0 }).catch(() => []);
  const record = records.find(({ id }) => id === pluginId);
  const badge = record === undefined ? null : statusBadge(record.status);
  const isTrouble = badge !== null && badge.isBusy !== true;
  notify({
    kind: isTrouble ? "warning" : "success",
    title: isTrouble ? `Installed ${record?.name ?? pluginId}, but it is not running` : `Installed ${record?.name ?? pluginId}`,
    ...(isTrouble && record?.statusDetail ? { description: record.statusDetail } : {}),
    pluginId,
    ...(action === undefined ? {} : { action }),
  });
}

function tellEnd(job: InstallJob): void {
  const { pluginId } = job;
  const replaced = updatedInstead(job);
  const show = (id: string) => ({ label: "Show", run: () => navigation.toPluginDetail(id) });
  if (replaced !== null) {
    const description = "An update with this source replaces it and keeps its data.";
    notify({ kind: "info", title: `${replaced} is installed already`, description, pluginId: replaced, action: show(replaced) });
  } else if (job.state === "succeeded" && pluginId !== null) {
    void tellInstalled(pluginId, show(pluginId));
  } else if (job.state === "failed") {
    notify({ kind: "error", title: `Could not install ${job.source}`, description: job.error?.message ?? "No reason was given." });
  }
}
