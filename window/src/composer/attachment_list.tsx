import CircleAlert from "lucide-react/icons/circle-alert";
import FileIcon from "lucide-react/icons/file";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import X from "lucide-react/icons/x";
import { useEffect, useState } from "react";

import { attachmentAddress } from "@/api/projects";
import { formatBytes } from "@/lib/format";
import { cn } from "@/ui/cn";
import { IconButton } from "@/ui/button";
import { type ComposerAttachment, uploadProjectOf } from "./attachments";
import type { ComposerModel } from "./model";
import { fileOf, retryUpload, type Upload, useUpload } from "./uploads";

/** Where the picture itself is: in the browser, else at the service. */
function usePictureAddress(key: string, upload: Upload): string | null {
  const file = fileOf(key);
  const [made, setMade] = useState<string | null>(null);
  useEffect(() => {
    if (file === null) {
      return;
    }
    const address = URL.createObjectURL(file);
    setMade(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);
  return file === null && upload.status === "done" ? attachmentAddress(upload.projectId, upload.attachment.path) : made;
}

function Thumbnail({ attachmentKey, upload }: { attachmentKey: string; upload: Upload }) {
  const address = usePictureAddress(attachmentKey, upload);
  return address === null ? (
    <FileIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
  ) : (
    <img src={address} alt="" className="size-8 shrink-0 rounded-sm object-cover" />
  );
}

function Progress({ name, value }: { name: string; value: number }) {
  const percent = Math.round(value * 100);
  return (
    <span className="flex items-center gap-1.5 text-muted-foreground">
      <span
        role="progressbar"
        aria-label={`Upload of ${name}`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1 w-16 overflow-hidden rounded-full bg-state-active"
      >
        <span className="block h-full bg-primary" style={{ width: `${percent}%` }} />
      </span>
      <span aria-hidden className="tabular-nums">{`${percent} %`}</span>
    </span>
  );
}

function AttachmentRow({ model, attachment }: { model: ComposerModel; attachment: ComposerAttachment }) {
  const { key, name, size, isImage } = attachment;
  const upload = useUpload(key);
  const hasFailed = upload.status === "failed";
  return (
    <li
      className={cn(
        "flex min-w-0 items-center gap-2 rounded-lg border py-1 pr-1 pl-2 text-xs",
        hasFailed
          ? "max-w-80 border-surface-destructive-border bg-surface-destructive"
          : "max-w-56 border-border-hairline bg-surface-recessed-solid",
      )}
    >
      {hasFailed ? (
        <CircleAlert aria-hidden className="size-4 shrink-0 text-destructive-text" />
      ) : isImage ? (
        <Thumbnail attachmentKey={key} upload={upload} />
      ) : (
        <FileIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      )}
      <span className="min-w-0">
        <span className="block truncate" title={name}>
          {name}
        </span>
        {upload.status === "uploading" ? (
          <Progress name={name} value={upload.progress} />
        ) : hasFailed ? (
          <span role="alert" className="block wrap-anywhere text-destructive-text">
            Not uploaded: {upload.reason}
          </span>
        ) : (
          // Of what a message had that was taken back, the size may not be known.
          size > 0 && <span className="block text-muted-foreground">{formatBytes(size)}</span>
        )}
      </span>
      <span className="ml-auto flex shrink-0">
        {hasFailed && upload.canRetry && (
          <IconButton size="sm" label={`Upload ${name} again`} onClick={() => retryUpload(key, uploadProjectOf(model))}>
            <RotateCcw aria-hidden />
          </IconButton>
        )}
        <IconButton size="sm" label={`Remove ${name}`} onClick={() => model.detachFile(key)}>
          <X aria-hidden />
        </IconButton>
      </span>
    </li>
  );
}

/** The files that go with the message; nothing while there are none. */
export function AttachmentList({ model, attachments }: { model: ComposerModel; attachments: readonly ComposerAttachment[] }) {
  return attachments.length === 0 ? null : (
    <ul aria-label="Attached files" className="flex max-h-48 flex-wrap gap-2 overflow-y-auto px-3 pt-3">
      {attachments.map((attachment) => (
        <AttachmentRow key={attachment.key} model={model} attachment={attachment} />
      ))}
    </ul>
  );
}
