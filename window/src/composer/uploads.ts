import type { ProjectAttachment } from "#sdk/sdk_workspaces.js";

import { api } from "@/api/http";
import { attachmentAddress } from "@/api/projects";
import { createStore, useStore } from "@/lib/store";

/** How far a file is on its way to the service. */
export type Upload =
  | { readonly status: "uploading"; /** From 0 to 1. */ readonly progress: number }
  | { readonly status: "done"; readonly projectId: string; readonly attachment: ProjectAttachment }
  | { readonly status: "failed"; readonly reason: string; /** Whether the window still has the file. */ readonly canRetry: boolean };

type Done = Upload & { status: "done" };

interface Job {
  readonly projectId: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Milliseconds for a large file over a slow line. */
const kTimeoutMs = 300_000;
/** How many files are on their way at a time: a browser has six connections, and the window needs some for itself. */
const kLanes = 3;
const kPrefix = "svc.upload.";

const kLost: Upload = {
  status: "failed",
  reason: "The page was loaded again before it was uploaded. Attach it once more.",
  canRetry: false,
};

// They outlive the composer: a file goes on while somebody looks at another thread.
const uploads = createStore<ReadonlyMap<string, Upload>>(new Map());
/** Where the bytes are: in the browser, or with another project when the page was loaded again. */
const sources = new Map<string, File | Done>();
const jobs = new Map<string, Job>();
const lanes: Promise<void>[] = Array.from({ length: kLanes }, () => Promise.resolve());
let nextLane = 0;

function put(key: string, upload: Upload): void {
  uploads.update((all) => new Map(all).set(key, upload));
}

/** How far the file of that key is. */
export function useUpload(key: string): Upload {
  return useStore(uploads, (all) => all.get(key)) ?? kLost;
}

/** The file itself, as far as the browser has it. */
export function fileOf(key: string): File | null {
  const source = sources.get(key);
  return source instanceof File ? source : null;
}

/** Uploads a file to a project, in its turn. */
export function startUpload(key: string, file: File, projectId: string): void {
  sources.set(key, file);
  run(key, projectId);
}

/** Tries one that failed again. */
export function retryUpload(key: string, projectId: string): void {
  if (sources.has(key)) {
    run(key, projectId);
  }
}

/** What is known of a file that a kept draft has: what was uploaded is still there. */
export function restoreUpload(key: string): void {
  if (uploads.get().has(key)) {
    return;
  }
  const done = readKept(key);
  if (done !== null) {
    sources.set(key, done);
  }
  put(key, done ?? kLost);
}

/** Takes up a file that went with a message which was taken back. */
export function resumeUpload(key: string, projectId: string, attachment: ProjectAttachment): void {
  const done = { status: "done", projectId, attachment } as const;
  sources.set(key, done);
  put(key, done);
  keep(key, done);
}

/** Ends the upload of what was taken out of the message, and forgets what was sent. */
export function forgetUpload(key: string): void {
  jobs.get(key)?.controller.abort();
  jobs.delete(key);
  sources.delete(key);
  uploads.update((all) => new Map([...all].filter(([other]) => other !== key)));
  keep(key, null);
}

/** Resolves when the project has the file; one that failed before, or that another project has, is uploaded now. Rejects with the reason. */
export async function uploaded(key: string, projectId: string): Promise<ProjectAttachment> {
  const done = doneIn(key, projectId);
  if (done !== null) {
    return done;
  }
  if (jobs.get(key)?.projectId !== projectId) {
    retryUpload(key, projectId);
  }
  await jobs.get(key)?.ended;
  const now = uploads.get().get(key) ?? kLost;
  if (now.status !== "done") {
    throw new Error(now.status === "failed" ? now.reason : "It was taken out of the message.");
  }
  return now.attachment;
}

function doneIn(key: string, projectId: string): ProjectAttachment | null {
  const upload = uploads.get().get(key);
  return upload?.status === "done" && upload.projectId === projectId ? upload.attachment : null;
}

function run(key: string, projectId: string): void {
  jobs.get(key)?.controller.abort();
  const controller = new AbortController();
  const { signal } = controller;
  put(key, { status: "uploading", progress: 0 });
  const lane = nextLane++ % kLanes;
  const ended = lanes[lane]!.then(() => (signal.aborted ? undefined : upload(key, projectId, signal)));
  lanes[lane] = ended;
  jobs.set(key, { projectId, controller, ended });
}

async function upload(key: string, projectId: string, signal: AbortSignal): Promise<void> {
  const source = sources.get(key)!;
  try {
    const { bytes, name } = await bytesOf(source, signal);
    const { attachment } = await api<{ attachment: ProjectAttachment }>("POST", `/projects/${encodeURIComponent(projectId)}/attachments`, {
      query: { filename: name },
      bytes,
      signal,
      timeoutMs: kTimeoutMs,
      onProgress: (progress) => !signal.aborted && put(key, { status: "uploading", progress }),
    });
    end(key, signal, { status: "done", projectId, attachment });
  } catch (failure) {
    end(key, signal, { status: "failed", reason: failure instanceof Error ? failure.message : String(failure), canRetry: true });
  }
}

function end(key: string, signal: AbortSignal, result: Upload): void {
  if (signal.aborted) {
    return;
  }
  jobs.delete(key);
  put(key, result);
  if (result.status === "done") {
    keep(key, result);
  }
}

async function bytesOf(source: File | Done, signal: AbortSignal): Promise<{ bytes: Blob; name: string }> {
  if (!(source instanceof File)) {
    const { projectId, attachment } = source;
    const answer = await fetch(attachmentAddress(projectId, attachment.path), { signal });
    if (!answer.ok) {
      throw new Error("The project that it was uploaded to does not have it any more. Attach it once more.");
    }
    return { bytes: await answer.blob(), name: attachment.name };
  }
  try {
    await source.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new Error("The browser cannot read it. Folders cannot be attached, and a file must stay where it was.", { cause });
  }
  return { bytes: source, name: source.name };
}

function keep(key: string, done: Done | null): void {
  try {
    if (done === null) {
      sessionStorage.removeItem(kPrefix + key);
    } else {
      sessionStorage.setItem(kPrefix + key, JSON.stringify(done));
    }
  } catch {
    // Storage is full or refused: it is known as long as the page.
  }
}

function readKept(key: string): Done | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(kPrefix + key) ?? "null") as Partial<Done> | null;
    return kept?.status === "done" && typeof kept.projectId === "string" && typeof kept.attachment?.path === "string"
      ? (kept as Done)
      : null;
  } catch {
    return null;
  }
}
