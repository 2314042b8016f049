import FileIcon from "lucide-react/icons/file";
import { memo, useCallback, useMemo, useState } from "react";

import type { PluginMessageDirectiveProps } from "#sdk/app/slots/message.js";
import type { TimelineAssistantRow, TimelineAttachments, TimelineUserRow } from "#sdk/records.js";

import { attachmentAddress } from "@/api/projects";
import { formatBytes } from "@/lib/format";
import { GrowingText } from "@/lib/growing_text";
import { useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { openThreadFile } from "@/plugins/thread_file";
import { StreamedMarkdown } from "@/sdk_app/streamed_markdown";
import { TextImage } from "@/sdk_app/text_image";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { cn } from "@/ui/cn";
import { directivesOf, type MessageDirective } from "./directives";
import { MessageActions } from "./message_actions";
import { useSelectable } from "./message_selection";
import { useThreadView } from "./thread_view";

/** Where the keys that go from message to message are. */
const kFocus = "rounded-lg data-by-key:outline-2 data-by-key:outline-offset-2 data-by-key:outline-ring";

/** What the service puts before the name of an attachment, so that two of one name are two files. */
const kStored = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-(?=.)/i;

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(kStored, "");

/** A picture that somebody attached; its name where it cannot be shown, such as one that was an agent's own. */
function AttachedImage({ path }: { path: string }) {
  const { projectId } = useThreadView();
  const [isMissing, setMissing] = useState(projectId === null);
  return isMissing ? (
    <Badge title={path}>
      <FileIcon aria-hidden />
      {nameOf(path)}
    </Badge>
  ) : (
    <img
      src={attachmentAddress(projectId!, path)}
      alt={nameOf(path)}
      loading="lazy"
      decoding="async"
      className="max-h-48 max-w-full rounded-md"
      onError={() => setMissing(true)}
    />
  );
}

function Attachments({ attachments: { imageUrls, localImagePaths, localFilePaths } }: { attachments: TimelineAttachments }) {
  return (
    <ul className="flex flex-wrap gap-2" aria-label="Attachments">
      {imageUrls.map((address) => (
        <li key={address} className="max-w-48">
          <TextImage src={address} alt="Attached image" />
        </li>
      ))}
      {localImagePaths.map((path) => (
        <li key={path}>
          <AttachedImage path={path} />
        </li>
      ))}
      {localFilePaths.map((path) => (
        <li key={path}>
          <Badge title={path}>
            <FileIcon aria-hidden />
            {nameOf(path)}
          </Badge>
        </li>
      ))}
    </ul>
  );
}

const kInitiators: Partial<Record<TimelineUserRow["initiator"], string>> = { agent: "Sent by an agent", system: "Sent by the service" };

function userNote({ initiator, turnRequest }: TimelineUserRow): string | null {
  if (turnRequest.status === "rejected") {
    return "Not taken";
  }
  if (turnRequest.kind === "steer") {
    return "Sent while the agent worked";
  }
  return turnRequest.status === "pending" ? "Waits to be sent" : (kInitiators[initiator] ?? null);
}

/** Characters of a message that are laid out before somebody asks for twice as many: all of a megabyte keeps a page from answering for seconds. */
const kShown = 32_000;

function UserText({ text }: { text: string }) {
  const [shown, setShown] = useState(kShown);
  if (text.length <= shown) {
    return text;
  }
  // Not within a character of two units.
  const end = /[\ud800-\udbff]/.test(text.charAt(shown - 1)) ? shown - 1 : shown;
  return (
    <>
      <span>{`${text.slice(0, end)}…`}</span>
      <Button size="sm" variant="ghost" className="self-start select-none" onClick={() => setShown(shown * 2)}>
        Show more: {formatBytes(text.length - end)} are left
      </Button>
    </>
  );
}

/** What somebody asked. */
export const UserRowView = memo(function UserRowView({ row }: { row: TimelineUserRow }) {
  const note = userNote(row);
  const selectable = useSelectable(row, row.text);
  return (
    <article
      data-svc-conversation-message-id={row.id}
      data-message-role="user"
      tabIndex={-1}
      aria-label="Your message"
      className={cn("group/message ml-auto flex max-w-[85%] min-w-0 flex-col items-end gap-1", kFocus)}
    >
      <div
        {...selectable}
        className="flex min-w-0 flex-col gap-2 rounded-xl bg-surface-selected px-3.5 py-2 text-base/relaxed wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]"
      >
        <UserText text={row.text} />
        {row.attachments !== null && <Attachments attachments={row.attachments} />}
      </div>
      {note !== null && <p className="px-1 text-xs text-muted-foreground">{note}</p>}
      <MessageActions row={row} text={row.text} />
    </article>
  );
});

function Directive({ directive, row }: { directive: MessageDirective; row: TimelineAssistantRow }) {
  const { threadId, projectId, surface } = useThreadView();
  const found = useRegistrations("messageDirectives").find(({ registration }) => registration.id === directive.id);
  const { attributes, source } = directive;
  const { panel } = surface;
  const openWorkspaceFile = useMemo(
    () =>
      panel === undefined || panel.kind !== "threadPanelActions"
        ? null
        : (path: string) => openThreadFile(panel, threadId, { source: "workspace", path: String(path), lineNumber: null }),
    [panel, threadId],
  );
  const props = useMemo<PluginMessageDirectiveProps>(
    () => ({ attributes, source, message: { id: row.id, threadId, turnId: row.turnId, projectId }, openWorkspaceFile }),
    [attributes, source, row.id, row.turnId, threadId, projectId, openWorkspaceFile],
  );
  return found === undefined ? (
    <p>{source}</p>
  ) : (
    <SlotMount
      plugin={found.plugin}
      slot="messageDirective"
      id={directive.id}
      instanceId={`${row.id} ${source}`}
      surface={surface}
      component={found.registration.component}
      props={props}
      fallback={<p>{source}</p>}
    />
  );
}

/** `length` says how much of the text is there: the object stays while it grows. */
export const AssistantRowView = memo(function AssistantRowView({
  row,
  text,
  isStreaming,
}: {
  row: TimelineAssistantRow;
  text: GrowingText | null;
  isStreaming: boolean;
  length: number;
}) {
  const known = useRegistrations("messageDirectives");
  const ids = known.map(({ registration }) => registration.id).join(" ");
  // While the text is being written, a directive may still become something else.
  const replace = useCallback(
    (block: string) => {
      const found = isStreaming ? null : directivesOf(block);
      return found === null || !found.every(({ id }) => ids.split(" ").includes(id)) ? null : (
        <>
          {found.map((directive, index) => (
            <Directive key={`${index} ${directive.source}`} directive={directive} row={row} />
          ))}
        </>
      );
    },
    [isStreaming, ids, row],
  );
  const shown = useMemo(() => text ?? new GrowingText(row.text), [text, row.text]);
  const selectable = useSelectable(row, shown);
  return (
    <article
      data-svc-conversation-message-id={row.id}
      data-message-role="assistant"
      tabIndex={-1}
      aria-label="Answer"
      aria-busy={isStreaming}
      className={cn("group/message flex min-w-0 flex-col gap-1", kFocus)}
    >
      <div {...selectable} className="min-w-0">
        <StreamedMarkdown text={shown} replace={replace} />
      </div>
      {!isStreaming && <MessageActions row={row} text={() => String(shown)} />}
    </article>
  );
});
