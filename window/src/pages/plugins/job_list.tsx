import X from "lucide-react/icons/x";

import { createStore, useStore } from "@/lib/store";
import { Button, IconButton, Spinner } from "@/ui";

import { useAction } from "./actions";
import { useInstallJobs } from "./data";
import { cancelInstall } from "./install_jobs";
import { type InstallJob, isActiveJob, jobProgress, updatedInstead } from "./install_model";

// Failures the person has seen; the service forgets the jobs themselves after some minutes.
const dismissed = createStore<ReadonlySet<string>>(new Set());

/** Installs that run, of every client, and those that failed a short while ago. Nothing when there are none. */
export function JobList({ onRetry }: { onRetry(source: string): void }) {
  const jobs = useInstallJobs();
  const hidden = useStore(dismissed);
  const isShown = (job: InstallJob) => isActiveJob(job) || (job.state === "failed" && updatedInstead(job) === null && !hidden.has(job.id));
  const shown = (jobs.data ?? []).filter(isShown);
  if (shown.length === 0) {
    return null;
  }
  return (
    <section aria-label="Installs" className="rounded-lg border border-border-hairline bg-surface-recessed-solid">
      <ul className="divide-y divide-border-hairline">
        {shown.map((job) => (
          <JobRow key={job.id} job={job} onRetry={() => onRetry(job.source)} />
        ))}
      </ul>
    </section>
  );
}

function JobRow({ job, onRetry }: { job: InstallJob; onRetry(): void }) {
  const action = useAction();
  const dismiss = () => dismissed.update((ids) => new Set([...ids, job.id]));
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2 text-sm">
      {isActiveJob(job) && <Spinner className="size-4 shrink-0" />}
      <div className="min-w-40 flex-1">
        <p className="font-mono text-xs wrap-anywhere">{job.source}</p>
        {isActiveJob(job) ? (
          <p className="text-xs text-muted-foreground">{jobProgress(job)}</p>
        ) : (
          <p className="text-xs whitespace-pre-wrap text-destructive-text wrap-anywhere">
            Install failed: {job.error?.message ?? "the server gave no reason"}
          </p>
        )}
      </div>
      {isActiveJob(job) ? (
        <Button
          size="sm"
          isBusy={action.busy !== null}
          aria-label={`Cancel the install of ${job.source}`}
          onClick={() => void action.run("cancel", "The install could not be cancelled", () => cancelInstall(job.id))}
        >
          Cancel
        </Button>
      ) : (
        <div className="flex gap-1">
          <Button size="sm" aria-label={`Try to install ${job.source} again`} onClick={onRetry}>
            Try again
          </Button>
          <IconButton size="sm" label={`Dismiss the failed install of ${job.source}`} tooltip={false} onClick={dismiss}>
            <X aria-hidden />
          </IconButton>
        </div>
      )}
    </li>
  );
}
