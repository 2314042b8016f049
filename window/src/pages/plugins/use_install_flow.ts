import { useEffect, useState } from "react";

import { api } from "@/api/http";
import { navigation } from "@/lib/navigation";

import { useInstallJobs } from "./data";
import { type InstallTarget, startInstall, tellInstalled, watchJob } from "./install_jobs";
import {
  type InstallForm,
  type InstallJob,
  type InstallPreview,
  type InstallRequest,
  isInPlace,
  kEmptyInstallForm,
  needsChoice,
  type RepositoryEntry,
  toInstallRequest,
} from "./install_model";

/** What a dialog begins with. */
export type InstallStart = { source: string } | { entryId: string; marketplace: string };

export type InstallStep =
  | { kind: "form" }
  | { kind: "choose"; entries: readonly RepositoryEntry[] }
  | { kind: "trust"; preview: InstallPreview; target: InstallTarget; canInstall: boolean }
  | { kind: "job"; jobId: string; target: InstallTarget };

export interface SourceIssue {
  field: keyof InstallForm;
  issue: string;
}

export interface InstallFlow {
  readonly step: InstallStep;
  /** The catalogue entry that is installed; null for a source of the form. */
  readonly entry: { entryId: string; marketplace: string } | null;
  readonly form: InstallForm;
  readonly issue: SourceIssue | null;
  /** Why the last request failed. */
  readonly failure: unknown;
  readonly isBusy: boolean;
  readonly isTrusted: boolean;
  /** The job of the last step; undefined until the server tells of it. */
  readonly job: InstallJob | undefined;
  setForm(form: InstallForm): void;
  setTrusted(isTrusted: boolean): void;
  /** Looks up what the form names. */
  submit(): void;
  /** Shows the plugins of the repository. */
  chooseFrom(entries: readonly RepositoryEntry[]): void;
  /** Looks up one of them. */
  choose(name: string): void;
  install(target: InstallTarget): Promise<void>;
  back(): void;
}

/** The way from a source to an installed plugin. `onDone` closes the dialog; the plugin's page is opened then. */
export function useInstallFlow(initial: InstallStart | undefined, onDone: () => void): InstallFlow {
  const entry = initial !== undefined && "entryId" in initial ? initial : null;
  const entrySource = entry === null ? null : `${entry.entryId}@${entry.marketplace}`;
  const [form, setForm] = useState<InstallForm>({
    ...kEmptyInstallForm,
    source: initial !== undefined && "source" in initial ? initial.source : "",
  });
  const [step, setStep] = useState<InstallStep>({ kind: "form" });
  const [isBusy, setBusy] = useState(entry !== null);
  const [issue, setIssue] = useState<SourceIssue | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isTrusted, setTrusted] = useState(false);
  const [lookup, setLookup] = useState<InstallRequest | null>(entrySource === null ? null : { source: entrySource });
  const job = useJobStep(step, onDone);

  useEffect(() => {
    if (lookup === null) {
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const look = async () => {
      setBusy(true);
      setFailure(null);
      try {
        // A slow registry or repository takes as long as it takes; closing the dialog ends the wait.
        const { preview } = await api<{ preview: InstallPreview }>("POST", "/plugins/install/preview", {
          body: lookup,
          timeoutMs: 0,
          signal,
        });
        setTrusted(false);
        setStep(needsChoice(preview) ? { kind: "choose", entries: preview.entries ?? [] } : trustStep(preview, lookup));
      } catch (error) {
        if (!signal.aborted) {
          setFailure(error);
        }
      } finally {
        if (!signal.aborted) {
          setBusy(false);
          setLookup(null);
        }
      }
    };
    void look();
    return () => controller.abort();
  }, [lookup]);

  return {
    step,
    entry,
    form,
    issue,
    failure,
    isBusy,
    isTrusted,
    job,
    setForm,
    setTrusted,
    submit() {
      const read = entrySource === null ? toInstallRequest(form) : { request: { source: entrySource } };
      setIssue("issue" in read ? read : null);
      setFailure(null);
      if ("request" in read) {
        setLookup(read.request);
      }
    },
    chooseFrom(entries) {
      setFailure(null);
      setStep({ kind: "choose", entries });
    },
    choose(name) {
      const chosen: InstallForm = { ...form, kind: "entry", entry: name };
      const read = toInstallRequest(chosen);
      setForm(chosen);
      setFailure(null);
      if ("request" in read) {
        setLookup(read.request);
      }
    },
    async install(target) {
      setBusy(true);
      setFailure(null);
      try {
        setStep({ kind: "job", jobId: (await startInstall(target)).id, target });
      } catch (error) {
        setFailure(error);
      } finally {
        setBusy(false);
      }
    },
    back() {
      setFailure(null);
      setStep({ kind: "form" });
    },
  };
}

function trustStep(preview: InstallPreview, request: InstallRequest): InstallStep {
  const { entryId, marketplace, confirmedSource, incompatible } = preview;
  const target: InstallTarget =
    entryId === undefined || marketplace === undefined
      ? { kind: "source", request: { ...request, confirmedSource } }
      : { kind: "catalog", entryId, marketplace, confirmedSource };
  // A directory is registered whatever it asks for, and shows that; from other sources the service refuses it.
  return { kind: "trust", preview, target, canInstall: incompatible === null || isInPlace(preview) };
}

/** Follows the job of the last step; its success closes the dialog and opens the plugin's page. */
function useJobStep(step: InstallStep, onDone: () => void): InstallJob | undefined {
  const jobs = useInstallJobs();
  const jobId = step.kind === "job" ? step.jobId : null;
  const job = jobs.data?.find(({ id }) => id === jobId);
  useEffect(() => (jobId === null ? undefined : watchJob(jobId)), [jobId]);
  const doneId = job?.state === "succeeded" ? job.pluginId : null;
  useEffect(() => {
    if (doneId !== null) {
      onDone();
      void tellInstalled(doneId);
      navigation.toPluginDetail(doneId);
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once per job: `onDone` is another function with every render
  }, [doneId]);
  return job;
}
