import type { InputBlock } from "#sdk/records.js";
import type { ProjectAttachment } from "#sdk/sdk_workspaces.js";

import { kPersonalProjectId } from "@/api/projects";
import { formatBytes } from "@/lib/format";
import { notify } from "@/lib/notifications";
import type { ComposerModel } from "./model";
import { resumeUpload, startUpload, uploaded } from "./uploads";

/** A file that goes with a message. It is uploaded as soon as it is attached; `uploads` has how far it is, by its key. */
export interface ComposerAttachment {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly isImage: boolean;
}

/** `lim.attachment`, `lim.attachmentImage`. */
const kMaxFileBytes = 25_000_000;
const kMaxImageBytes = 10_000_000;
/** A message has up to 50 parts; its text is one of them. */
const kMaxAttachments = 49;

/** The limits in words, for where files are chosen. */
export const kAttachmentLimits = `Up to ${kMaxAttachments} files of ${formatBytes(kMaxFileBytes)}; pictures of ${formatBytes(kMaxImageBytes)}`;

/** Images that agents take; every other file is one that they read. */
const kImageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

let lastKey = 0;

/** Kept drafts have keys of earlier pages. */
const newKey = () => `${Date.now().toString(36)}.${++lastKey}`;

/** Why a file cannot be attached; null when it can. */
function problemOf({ size, type }: File, count: number): string | null {
  const limit = kImageTypes.has(type) ? kMaxImageBytes : kMaxFileBytes;
  if (count >= kMaxAttachments) {
    return `A message takes up to ${kMaxAttachments} files.`;
  }
  return size > limit ? `It has ${formatBytes(size)}; up to ${formatBytes(limit)} can be attached.` : null;
}

/** The project whose agents are to read the files of a composer. */
export const uploadProjectOf = (model: ComposerModel): string => model.scope.projectId ?? kPersonalProjectId;

/** Adds files to the draft and uploads them; those that cannot be taken are named with the reason. */
export function attachFiles(model: ComposerModel, files: Iterable<File>): void {
  for (const file of files) {
    const problem = problemOf(file, model.state.attachments.length);
    if (problem !== null) {
      notify({ kind: "error", title: `“${file.name}” was not attached`, description: problem });
      continue;
    }
    const key = newKey();
    startUpload(key, file, uploadProjectOf(model));
    model.attachFile({ key, name: file.name, size: file.size, isImage: kImageTypes.has(file.type) });
  }
}

/** A file of a message that was taken back, as one that is with the project already. */
export function attachmentFrom(block: Exclude<InputBlock, { type: "text" }>, projectId: string | null): ComposerAttachment {
  const { path = "", name = path.split("/").at(-1) || "Picture", sizeBytes = 0 } = block as Partial<ProjectAttachment>;
  const key = newKey();
  resumeUpload(key, projectId ?? kPersonalProjectId, block as ProjectAttachment);
  return { key, name, size: sizeBytes, isImage: block.type !== "localFile" };
}

/** What the files are to the service, where agents of the project can read them. Rejects with what to tell the user. */
export function uploadedAttachments(files: readonly ComposerAttachment[], projectId: string | null): Promise<ProjectAttachment[]> {
  return Promise.all(
    files.map(async ({ key, name }) => {
      try {
        return await uploaded(key, projectId ?? kPersonalProjectId);
      } catch (cause) {
        throw new Error(`“${name}” could not be uploaded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      }
    }),
  );
}
