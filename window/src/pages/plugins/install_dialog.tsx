import { useId } from "react";

import { navigation, paths } from "@/lib/navigation";
import { Button, Dialog, ErrorNotice } from "@/ui";

import { tellUpdate, updatePlugin, useAction } from "./actions";
import { cancelInstall, type InstallTarget } from "./install_jobs";
import { type InstallJob, type InstallRequest, isActiveJob, updatedInstead } from "./install_model";
import { InstallChoice } from "./install_choice";
import { InstallProgress } from "./install_progress";
import { InstallSourceForm } from "./install_source_form";
import { InstallTrust } from "./install_trust";
import { type InstallFlow, type InstallStart, type InstallStep, useInstallFlow } from "./use_install_flow";

export interface InstallDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  /** What to begin with: a source that failed before, or a catalogue entry, which goes to the trust step at once. */
  initial?: InstallStart;
  /** It is opened from the page with what the package says of itself. */
  isAbout?: boolean;
}

/** Source → what it is and what it may do → progress. Closing it does not end an install that runs. */
export function InstallDialog(props: InstallDialogProps) {
  // Every opening begins anew.
  return props.open ? <OpenInstallDialog {...props} /> : null;
}

/** That page names a source, but no plugin in it. */
function aboutPathOf(target: InstallTarget): string | null {
  if (target.kind === "catalog") {
    return paths.pluginAbout(`${target.entryId}@${target.marketplace}`);
  }
  const { source, selection, tagPrefix } = target.request;
  return selection === undefined && tagPrefix === undefined ? paths.pluginAbout(source) : null;
}

function OpenInstallDialog({ onOpenChange, initial, isAbout = false }: InstallDialogProps) {
  const formId = useId();
  const close = () => onOpenChange(false);
  const flow = useInstallFlow(initial, close);
  const { step } = flow;
  return (
    <Dialog open onOpenChange={onOpenChange} {...titleOf(flow)} footer={<Footer flow={flow} formId={formId} onClose={close} />}>
      {step.kind === "form" && <InstallSourceForm id={formId} flow={flow} />}
      {step.kind === "choose" && <InstallChoice id={formId} entries={step.entries} onChoose={flow.choose} />}
      {step.kind === "trust" && (
        <InstallTrust
          preview={step.preview}
          isTrusted={flow.isTrusted}
          onTrust={flow.setTrusted}
          canInstall={step.canInstall}
          aboutPath={isAbout ? null : aboutPathOf(step.target)}
          onChooseFrom={flow.chooseFrom}
        />
      )}
      {step.kind === "job" && <InstallProgress job={flow.job} />}
      {flow.failure !== null && (
        <ErrorNotice title={step.kind === "trust" ? "The install could not be started" : "This cannot be installed"} error={flow.failure} />
      )}
    </Dialog>
  );
}

function titleOf({ step, entry, job }: InstallFlow): { title: string; description?: string } {
  switch (step.kind) {
    case "form":
      return entry === null
        ? { title: "Install a plugin", description: "From a directory, a git repository or the npm registry." }
        : { title: `Install ${entry.entryId}`, description: `From the marketplace ${entry.marketplace}.` };
    case "choose":
      return { title: "Which plugin?", description: "This repository holds several." };
    case "trust":
      return { title: `Install ${step.preview.package ?? step.preview.source}?`, description: "Check what it is before it runs." };
    case "job":
      return jobTitle(job);
  }
}

function jobTitle(job: InstallJob | undefined): { title: string; description?: string } {
  if (job === undefined || isActiveJob(job)) {
    return { title: "Installing…", description: "You can close this dialog: the install goes on, and its end is announced." };
  }
  const replaced = updatedInstead(job);
  if (replaced !== null) {
    return { title: `${replaced} is installed already`, description: "An update with this source replaces it and keeps its data." };
  }
  return { title: job.state === "cancelled" ? "The install was cancelled" : job.state === "failed" ? "The install failed" : "Installed" };
}

function Footer({ flow, formId, onClose }: { flow: InstallFlow; formId: string; onClose(): void }) {
  const { step, entry, isBusy } = flow;
  switch (step.kind) {
    case "form":
      return (
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            {isBusy ? "Looking it up…" : "Continue"}
          </Button>
        </>
      );
    case "choose":
      return (
        <>
          <Button onClick={flow.back}>Back</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            {isBusy ? "Looking it up…" : "Continue"}
          </Button>
        </>
      );
    case "trust":
      return (
        <>
          {entry === null ? <Button onClick={flow.back}>Back</Button> : <Button onClick={onClose}>Cancel</Button>}
          <Button
            variant="primary"
            disabled={!flow.isTrusted || !step.canInstall}
            isBusy={isBusy}
            onClick={() => void flow.install(step.target)}
          >
            Install
          </Button>
        </>
      );
    case "job":
      return <JobFooter step={step} flow={flow} onClose={onClose} />;
  }
}

function unconfirmed(request: InstallRequest): InstallRequest {
  const { confirmedSource: _confirmed, ...rest } = request;
  return rest;
}

function JobFooter({ step, flow, onClose }: { step: Extract<InstallStep, { kind: "job" }>; flow: InstallFlow; onClose(): void }) {
  const action = useAction();
  const isActive = flow.job === undefined || isActiveJob(flow.job);
  const replaced = flow.job === undefined ? null : updatedInstead(flow.job);
  // What was looked at is asked about anew by an update.
  const request = step.target.kind === "source" ? unconfirmed(step.target.request) : null;
  const update = (id: string, to: InstallRequest) =>
    action.run("update", `${id} could not be updated`, async () => {
      tellUpdate({ id, name: id }, await updatePlugin(id, to));
      onClose();
      navigation.toPluginDetail(id);
    });
  return (
    <>
      {isActive ? (
        <Button
          isBusy={action.busy === "cancel"}
          onClick={() => void action.run("cancel", "The install could not be cancelled", () => cancelInstall(step.jobId))}
        >
          Cancel install
        </Button>
      ) : (
        <Button onClick={flow.back}>Back</Button>
      )}
      {replaced !== null && request !== null ? (
        <Button variant="primary" isBusy={action.busy === "update"} onClick={() => void update(replaced, request)}>
          Update {replaced} with it
        </Button>
      ) : (
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      )}
    </>
  );
}
