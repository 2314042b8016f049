import { useEffect, useId, useState } from "react";

import { api } from "@/api/http";
import { navigation } from "@/shell/navigation";
import { notify } from "@/shell/notifications";
import { Button, Dialog, ErrorNotice } from "@/ui";

import { useInstallJobs } from "./data";
import { cancelInstall, type InstallTarget, startInstall, watchJob } from "./install_jobs";
import { type InstallForm, type InstallJob, type InstallPreview, isActiveJob, kEmptyInstallForm, toInstallRequest } from "./install_model";
import { InstallProgress } from "./install_progress";
import { InstallSourceForm, type SourceIssue } from "./install_source_form";
import { InstallTrust } from "./install_trust";
import { useAction } from "./actions";

type Step =
  | { kind: "form" }
  | { kind: "trust"; preview: InstallPreview; target: InstallTarget }
  | { kind: "job"; jobId: string };

export interface InstallDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  /** What to begin with: a source that failed before, or a catalogue entry, which goes to the trust step at once. */
  initial?: { source: string } | { entryId: string; marketplace: string };
}

/** Source → what it is and what it may do → progress. Closing it does not end an install that runs. */
export function InstallDialog(props: InstallDialogProps) {
  // Every opening begins anew.
  return props.open ? <OpenInstallDialog {...props} /> : null;
}

function OpenInstallDialog({ onOpenChange, initial }: InstallDialogProps) {
  const formId = useId();
  const catalog = initial !== undefined && "entryId" in initial ? initial : undefined;
  const [form, setForm] = useState<InstallForm>({ ...kEmptyInstallForm, ...(initial && "source" in initial ? { source: initial.source } : {}) });
  const [step, setStep] = useState<Step>({ kind: "form" });
  const [isChecking, setChecking] = useState(catalog !== undefined);
  const [issue, setIssue] = useState<SourceIssue | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isTrusted, setTrusted] = useState(false);

  const preview = async (target: Extract<InstallTarget, { kind: "source" }>, signal?: AbortSignal) => {
    setChecking(true);
    setFailure(null);
    try {
      // A lookup in a slow registry or repository takes as long as it takes; closing the dialog ends the wait.
      const options = { body: target.request, timeoutMs: 0, ...(signal === undefined ? {} : { signal }) };
      const found = (await api<{ preview: InstallPreview }>("POST", "/plugins/install/preview", options)).preview;
      setTrusted(false);
      setStep({
        kind: "trust",
        preview: found,
        target:
          found.entryId === undefined || found.marketplace === undefined
            ? target
            : { kind: "catalog", entryId: found.entryId, marketplace: found.marketplace, confirmedSource: found.confirmedSource },
      });
    } catch (error) {
      if (signal?.aborted !== true) {
        setFailure(error);
      }
    } finally {
      if (signal?.aborted !== true) {
        setChecking(false);
      }
    }
  };

  const entry = catalog === undefined ? null : `${catalog.entryId}@${catalog.marketplace}`;
  useEffect(() => {
    if (entry === null) {
      return;
    }
    const controller = new AbortController();
    void preview({ kind: "source", request: { source: entry } }, controller.signal);
    return () => controller.abort();
    // The entry is what the dialog was opened for.
  }, [entry]);

  const submit = () => {
    const read = entry === null ? toInstallRequest(form) : { request: { source: entry } };
    if ("issue" in read) {
      setIssue(read);
      return;
    }
    setIssue(null);
    void preview({ kind: "source", request: read.request });
  };

  const install = async (target: InstallTarget) => {
    setChecking(true);
    setFailure(null);
    try {
      setStep({ kind: "job", jobId: (await startInstall(target)).id });
    } catch (error) {
      setFailure(error);
    } finally {
      setChecking(false);
    }
  };

  if (step.kind === "job") {
    return <JobDialog jobId={step.jobId} onOpenChange={onOpenChange} onBack={() => setStep({ kind: "form" })} />;
  }
  const close = <Button onClick={() => onOpenChange(false)}>Cancel</Button>;
  const failed = failure !== null && (
    <ErrorNotice title={step.kind === "trust" ? "The install could not be started" : "This cannot be installed"} error={failure} />
  );
  if (step.kind === "trust") {
    const canInstall = step.preview.incompatible === null || isPathPreview(step.preview);
    return (
      <Dialog
        open
        onOpenChange={onOpenChange}
        title={`Install ${step.preview.package ?? step.preview.source}?`}
        description="Plugins run with full access to this machine."
        footer={
          <>
            {entry === null ? <Button onClick={() => setStep({ kind: "form" })}>Back</Button> : close}
            <Button variant="primary" disabled={!isTrusted || !canInstall} isBusy={isChecking} onClick={() => void install(step.target)}>
              Install
            </Button>
          </>
        }
      >
        <InstallTrust preview={step.preview} isTrusted={isTrusted} onTrust={setTrusted} canInstall={canInstall} />
        {failed}
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={entry === null ? "Install a plugin" : `Install ${catalog?.entryId}`}
      description={entry === null ? "From a directory, a git repository or the npm registry." : `From the marketplace ${catalog?.marketplace}.`}
      footer={
        <>
          {close}
          <Button variant="primary" type="submit" form={formId} isBusy={isChecking}>
            {isChecking ? "Looking it up…" : "Continue"}
          </Button>
        </>
      }
    >
      <InstallSourceForm id={formId} form={form} onChange={setForm} issue={issue} isFixed={entry !== null} failure={failure} onSubmit={submit} />
      {failed}
    </Dialog>
  );
}

function isPathPreview(preview: InstallPreview): boolean {
  return preview.resolved.startsWith("/") && !/\.(tgz|tar\.gz)$/.test(preview.resolved);
}

function JobDialog({ jobId, onOpenChange, onBack }: { jobId: string; onOpenChange(open: boolean): void; onBack(): void }) {
  const jobs = useInstallJobs();
  const action = useAction();
  const job = jobs.data?.find(({ id }) => id === jobId);
  const isActive = job === undefined || isActiveJob(job);
  useEffect(() => watchJob(jobId), [jobId]);

  const doneId = job?.state === "succeeded" ? job.pluginId : null;
  useEffect(() => {
    if (doneId !== null) {
      onOpenChange(false);
      notify({ kind: "success", title: `Installed ${doneId}`, pluginId: doneId });
      navigation.toPluginDetail(doneId);
    }
    // Runs once: the dialog is gone after it.
  }, [doneId]);

  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={titleOf(job)}
      {...(isActive ? { description: "You can close this dialog; the install goes on and its end is announced." } : {})}
      footer={
        isActive ? (
          <>
            <Button
              isBusy={action.busy !== null}
              onClick={() => void action.run("cancel", "The install could not be cancelled", () => cancelInstall(jobId))}
            >
              Cancel install
            </Button>
            <Button variant="primary" onClick={() => onOpenChange(false)}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onBack}>Back</Button>
            <Button variant="primary" onClick={() => onOpenChange(false)}>
              Close
            </Button>
          </>
        )
      }
    >
      <InstallProgress job={job} />
    </Dialog>
  );
}

function titleOf(job: InstallJob | undefined): string {
  if (job === undefined || isActiveJob(job)) {
    return "Installing…";
  }
  return job.state === "cancelled" ? "The install was cancelled" : job.state === "failed" ? "The install failed" : "Installed";
}
