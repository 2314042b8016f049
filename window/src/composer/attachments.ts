import type { ProjectAttachment } from "#sdk/sdk_workspaces.js";

import { api } from "@/api/http";
import { kPersonalProjectId } from "@/api/projects";
import { formatBytes } from "@/lib/format";
import { notify } from "@/lib/notifications";
import type { ComposerModel } from "./model";

/** A file that goes with a message. It is uploaded when the message is sent, to the project that the thread is of by then. */
export interface ComposerAttachment {
  readonly key: string;
  readonly file: File;
  readonly isImage: boolean;
}

/** `lim.attachment`, `lim.attachmentImage`. */
const kMaxFileBytes = 25 * 1024 * 1024;
const kMaxImageBytes = 10 * 1024 * 1024;
/** A message has up to 50 parts; its text is one of them. */
const kMaxAttachments = 49;
/** Milliseconds for a large file over a slow line. */
const kUploadTimeoutMs = 300_000;

/** Images that agents take; every other file is one that they read. */
const kImageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

let lastKey = 0;

/** Why a file cannot be attached; null when it can. */
function problemOf({ size, type }: File, count: number): string | null {
  const limit = kImageTypes.has(type) ? kMaxImageBytes : kMaxFileBytes;
  if (count >= kMaxAttachments) {
    return `A message takes up to ${kMaxAttachments} files.`;
  }
  return size > limit ? `It has ${formatBytes(size)}; up to ${formatBytes(limit)} can be attached.` : null;
}

/** Adds files to the draft; those that cannot be taken are named with the reason. */
export function attachFiles(model: ComposerModel, files: Iterable<File>): void {
  for (const file of files) {
    const problem = problemOf(file, model.state.attachments.length);
    if (problem === null) {
      model.attachFile({ key: `file:${++lastKey}`, file, isImage: kImageTypes.has(file.type) });
    } else {
      notify({ kind: "error", title: `“${file.name}” was not attached`, description: problem });
    }
  }
}

/** What a try that failed later has uploaded already. */
const uploaded = new WeakMap<File, Map<string, ProjectAttachment>>();

async function upload({ file }: ComposerAttachment, projectId: string): Promise<ProjectAttachment> {
  const known = uploaded.get(file)?.get(projectId);
  if (known !== undefined) {
    return known;
  }
  const { attachment } = await api<{ attachment: ProjectAttachment }>("POST", `/projects/${encodeURIComponent(projectId)}/attachments`, {
    query: { filename: file.name },
    bytes: file,
    timeoutMs: kUploadTimeoutMs,
  });
  uploaded.set(file, (uploaded.get(file) ?? new Map<string, ProjectAttachment>()).set(projectId, attachment));
  return attachment;
}

/** Puts files where agents of the project can read them, one after the other. Rejects with what to tell the user. */
export async function uploadAttachments(files: readonly ComposerAttachment[], projectId: string | null): Promise<ProjectAttachment[]> {
  const done: ProjectAttachment[] = [];
  for (const file of files) {
    try {
      done.push(await upload(file, projectId ?? kPersonalProjectId));
    } catch (failure) {
      throw new Error(`“${file.file.name}” could not be uploaded: ${failure instanceof Error ? failure.message : String(failure)}`, {
        cause: failure,
      });
    }
  }
  return done;
}
