import { Banner, Spinner } from "@/ui";

import { type InstallJob, isActiveJob, jobProgress, updatedInstead } from "./install_model";

/** What a job does or why it ended, in the server's words. `undefined` while the server was not heard yet. */
export function InstallProgress({ job }: { job: InstallJob | undefined }) {
  if (job !== undefined && !isActiveJob(job)) {
    return (
      <div className="flex flex-col gap-3 text-sm">
        {job.state === "failed" && updatedInstead(job) === null && (
          <Banner tone="error" role="alert" title={job.source}>
            <span className="whitespace-pre-wrap">{job.error?.message ?? "The server gave no reason."}</span>
          </Banner>
        )}
        {updatedInstead(job) !== null && <p className="font-mono text-xs text-muted-foreground wrap-anywhere">{job.source}</p>}
        {job.state === "cancelled" && <p>Nothing was installed.</p>}
      </div>
    );
  }
  return (
    <div className="flex min-w-0 items-center gap-3 text-sm">
      <Spinner className="shrink-0" />
      <div className="min-w-0">
        <p className="truncate font-mono text-xs text-muted-foreground" title={job?.source}>
          {job?.source ?? " "}
        </p>
        <p role="status">{job === undefined ? "Waiting for the server…" : jobProgress(job)}</p>
      </div>
    </div>
  );
}
