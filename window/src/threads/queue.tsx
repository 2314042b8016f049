import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Pencil from "lucide-react/icons/pencil";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, useCallback, useMemo, useState } from "react";

import type { InputBlock, QueuedMessage } from "#sdk/records.js";

import { changeQueued, removeQueued, reorderQueued, sendQueued, useQueue } from "@/api/threads";
import { Composer } from "@/composer/composer";
import type { ComposerMessage } from "@/composer/model";
import { inputOf } from "@/composer/send";
import { counted, formatTime } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { Badge } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";

/** The text of a message, without what only the agent reads. */
export function textOfInput(input: readonly InputBlock[]): string {
  return input.flatMap((block) => (block.type === "text" && block.visibility === undefined ? [block.text] : [])).join("\n");
}

/** What a message carries beside its text, and what only the agent reads. */
const besidesText = (input: readonly InputBlock[]): InputBlock[] =>
  input.filter((block) => block.type !== "text" || block.visibility !== undefined);

const filesText = (input: readonly InputBlock[]): string | null => {
  const files = input.filter(({ type }) => type !== "text").length;
  return files === 0 ? null : counted(files, "file");
};

/** Why a message has not left. */
export function waitText({ waitingOn, sendAt, payload }: QueuedMessage): string {
  switch (waitingOn?.kind) {
    case "time":
      return sendAt === null ? "Waits for its time" : `Is sent at ${formatTime(sendAt)}`;
    case "thread-busy":
      return "Waits until the agent is done";
    case "provisioning":
      return "Waits for the workspace";
    case "interaction":
      return "Waits for your answer";
    case "plugin":
      return `Held by ${waitingOn.pluginId}: ${waitingOn.reason}`;
    default:
      return payload.kind === "retry" ? `Attempt ${payload.attempt} is next` : "Is sent next";
  }
}

function run(what: string, action: Promise<void>): void {
  action.catch((failure: unknown) =>
    notify({
      kind: "error",
      title: `The message could not be ${what}`,
      description: failure instanceof Error ? failure.message : String(failure),
    }),
  );
}

/** A waiting message while it is changed; its files stay. */
function QueuedEditor({ row, projectId, onDone }: { row: QueuedMessage; projectId: string; onDone(): void }) {
  const { id, threadId, content } = row;
  const scope = useMemo(() => ({ kind: "queued-message", threadId, queuedMessageId: id, projectId }) as const, [threadId, id, projectId]);
  const submit = useCallback(
    async (message: ComposerMessage) => {
      await changeQueued(row, [...(await inputOf(message, projectId)), ...besidesText(content)]);
      onDone();
    },
    [row, projectId, content, onDone],
  );
  const files = filesText(content);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onDone();
    }
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- only what bubbles from the text within
    <div className="flex min-w-0 flex-1 flex-col gap-1 py-1" onKeyDown={onKeyDown}>
      <Composer
        scope={scope}
        label="Change the message"
        initialText={textOfInput(content)}
        submit={submit}
        request={{ id: `edit:${id}`, focusPrompt: true }}
        controls={
          <Button size="sm" variant="ghost" onClick={onDone}>
            Cancel
          </Button>
        }
      />
      {files !== null && <p className="px-1 text-xs text-muted-foreground">Stays with it: {files}.</p>}
    </div>
  );
}

interface RowProps {
  row: QueuedMessage;
  /** Its neighbours of their neighbours, for moving by one. */
  rows: readonly QueuedMessage[];
  index: number;
  projectId: string;
}

function QueuedRow({ row, rows, index, projectId }: RowProps) {
  const [isEditing, setEditing] = useState(false);
  const done = useCallback(() => setEditing(false), []);
  const move = (by: -1 | 1) => {
    const others = rows.filter(({ id }) => id !== row.id);
    run("moved", reorderQueued(row, others[index + by - 1]?.id ?? null, others[index + by]?.id ?? null));
  };
  const text = textOfInput(row.content);
  const files = filesText(row.content);
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-border-hairline bg-surface-raised-solid px-3 py-1.5 text-sm">
      {isEditing && row.editable ? (
        <QueuedEditor row={row} projectId={projectId} onDone={done} />
      ) : (
        <>
          <span className="min-w-40 flex-1 truncate">{text === "" ? files : text}</span>
          {files !== null && text !== "" && <Badge>{files}</Badge>}
          <Badge>{waitText(row)}</Badge>
          {row.waitingOn?.kind === "thread-busy" && (
            <Button size="sm" variant="ghost" onClick={() => run("sent", sendQueued(row, "steer"))}>
              Send now
            </Button>
          )}
          {row.waitingOn?.kind === "time" && (
            <Button size="sm" variant="ghost" onClick={() => run("sent", sendQueued(row, "auto"))}>
              Send now
            </Button>
          )}
          {row.editable && (
            <>
              {rows.length > 1 && (
                <>
                  <IconButton size="sm" label="Send it earlier" disabled={index === 0} onClick={() => move(-1)}>
                    <ArrowUp aria-hidden />
                  </IconButton>
                  <IconButton size="sm" label="Send it later" disabled={index === rows.length - 1} onClick={() => move(1)}>
                    <ArrowDown aria-hidden />
                  </IconButton>
                </>
              )}
              {row.payload.kind === "inline" && (
                <IconButton size="sm" label="Change the message" onClick={() => setEditing(true)}>
                  <Pencil aria-hidden />
                </IconButton>
              )}
              <IconButton size="sm" label="Take the message back" onClick={() => run("taken back", removeQueued(row))}>
                <X aria-hidden />
              </IconButton>
            </>
          )}
        </>
      )}
    </li>
  );
}

/** What waits to be sent; nothing at all while nothing does. */
export function Queue({ threadId, projectId }: { threadId: string; projectId: string }) {
  const rows = useQueue(threadId).data ?? [];
  if (rows.length === 0) {
    return null;
  }
  return (
    <ul aria-label="Messages that wait" className="flex max-h-72 flex-col gap-1 overflow-y-auto">
      {rows.map((row, index) => (
        <QueuedRow key={row.id} row={row} rows={rows} index={index} projectId={projectId} />
      ))}
    </ul>
  );
}
