import FileIcon from "lucide-react/icons/file";
import X from "lucide-react/icons/x";
import { useEffect, useState } from "react";

import { formatBytes } from "@/lib/format";
import { IconButton } from "@/ui/button";
import type { ComposerAttachment } from "./attachments";
import type { ComposerModel } from "./model";

/** The picture itself, as the browser has it. */
function Thumbnail({ file }: { file: File }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address === null ? null : <img src={address} alt="" className="size-8 shrink-0 rounded-sm object-cover" />;
}

/** The files that go with the message; nothing while there are none. */
export function AttachmentList({ model, attachments }: { model: ComposerModel; attachments: readonly ComposerAttachment[] }) {
  return attachments.length === 0 ? null : (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2 px-3 pt-3">
      {attachments.map(({ key, file, isImage }) => (
        <li
          key={key}
          className="flex max-w-56 min-w-0 items-center gap-2 rounded-lg border border-border-hairline bg-surface-recessed-solid py-1 pr-1 pl-2 text-xs"
        >
          {isImage ? <Thumbnail file={file} /> : <FileIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />}
          <span className="min-w-0">
            <span className="block truncate">{file.name}</span>
            <span className="block text-muted-foreground">{formatBytes(file.size)}</span>
          </span>
          <IconButton size="sm" label={`Remove ${file.name}`} onClick={() => model.detachFile(key)}>
            <X aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
