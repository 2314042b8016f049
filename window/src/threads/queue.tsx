import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Link2 from "lucide-react/icons/link-2";
import Pencil from "lucide-react/icons/pencil";
import Unlink2 from "lucide-react/icons/unlink-2";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";

import type { InputBlock, QueuedMessage, Thread } from "#sdk/records.js";

import { changeQueued, groupQueued, removeQueued, reorderQueued, sendQueued, useQueue } from "@/api/threads";
import { Composer } from "@/composer/composer";
import type { ComposerMessage } from "@/composer/model";
import { composersNow } from "@/composer/registry";
import { draftOf, inputOf } from "@/composer/send";
import { isComposing } from "@/lib/composing";
import { counted, formatTime } from "@/lib/format";
import { notify } from "@/lib/notifications";
import { Badge } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { cn } from "@/ui/cn";
import { takeUp } from "./hand_back";
import { useIsMachineGone } from "./machine_gone";
import { OpenEditsContext, useOpenEdits } from "./open_edits";
import { groupLength, placeAfter } from "./queue_order";
import { isRunning } from "./thread_state";

/** Characters of which one line is shown. */
const kLine = 1_000;

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

/** For the workspace, or for room for one more agent: what stands above the composer says which. */
const kNotBegun = "Waits until the agent begins";

/** What keeps a thread from taking the next message, as far as its record says. */
const kThreadWaits: Partial<Record<Thread["runtime"]["displayStatus"], string>> = {
  provisioning: kNotBegun,
  "host-reconnecting": "Waits for the machine",
  "waiting-for-host": "Waits for the machine",
  stopping: "Waits until the agent has stopped",
};

/** Why a message has not left; whatever it waits for, it cannot when its machine was removed. */
export function waitText(
  { waitingOn, sendAt, payload }: QueuedMessage,
  thread?: Pick<Thread, "runtime">,
  { isMachineGone = false }: { isMachineGone?: boolean } = {},
): string {
  if (isMachineGone) {
    return "Cannot be sent: the machine was removed";
  }
  const displayStatus = thread?.runtime.displayStatus ?? "idle";
  switch (waitingOn?.kind) {
    case "time":
      return sendAt === null ? "Waits for its time" : `Is sent at ${formatTime(sendAt)}`;
    case "thread-busy":
      return kThreadWaits[displayStatus] ?? "Waits until the agent is done";
    case "provisioning":
      return kNotBegun;
    case "interaction":
      return "Waits for your answer";
    case "plugin":
      return `Held by ${waitingOn.pluginId}: ${waitingOn.reason}`;
    default:
      if (payload.kind === "retry") {
        return `Attempt ${payload.attempt} is next`;
      }
      return displayStatus === "error" ? "Waits until the agent is asked again" : "Is sent next";
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

/** What was written goes on as the draft of the next message, below what is written there by now. */
async function takeBack(row: QueuedMessage, projectId: string): Promise<void> {
  await removeQueued(row);
  if (row.payload.kind === "inline" && !takeUp(row.threadId, draftOf(row.content, projectId))) {
    notify({ kind: "info", title: "The message was taken back", description: `What was written: ${textOfInput(row.content)}` });
  }
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
  const original = textOfInput(content);
  const edits = use(OpenEditsContext);
  // The text when the edit began: what others make of the message meanwhile is not what was written here.
  const [begun] = useState(original);
  useEffect(() => {
    const model = composersNow().find(({ scope }) => scope.kind === "queued-message" && scope.queuedMessageId === id);
    if (model !== undefined) {
      edits.set(id, { model, original: begun });
    }
  }, [edits, id, begun]);
  const files = filesText(content);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented && !isComposing(event.nativeEvent)) {
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
        initialText={original}
        sendLabel="Save the message"
        submit={submit}
        request={{ id: `edit:${id}`, focusPrompt: true }}
        controls={
          <Button size="sm" variant="ghost" onClick={onDone}>
            Cancel
          </Button>
        }
      />
      {original !== begun && (
        <p role="status" className="px-1 text-xs wrap-anywhere text-warning-text">
          Somebody has changed it meanwhile, to “{original.slice(0, kLine)}”. What you save takes the place of that.
        </p>
      )}
      {files !== null && <p className="px-1 text-xs text-muted-foreground">Stays with it: {files}.</p>}
    </div>
  );
}

interface RowProps {
  thread: Thread;
  row: QueuedMessage;
  /** All that wait, for moving by one and for what is sent as one. */
  rows: readonly QueuedMessage[];
  index: number;
  /** Nothing can be sent to where the thread is. */
  isMachineGone: boolean;
}

/** How it can be sent before its time; null when it cannot: what a plugin or a question holds stays. */
function sendNowMode({ waitingOn, payload }: QueuedMessage, thread: Thread): "auto" | "steer" | null {
  switch (waitingOn?.kind) {
    case "thread-busy":
      return "steer";
    case "time":
    case "provisioning":
      return "auto";
    case undefined:
      // After an error nothing goes by itself but a retry.
      return thread.runtime.displayStatus === "error" && payload.kind === "inline" ? "auto" : null;
    default:
      return null;
  }
}

function GroupButton({ row, rows, index }: RowProps) {
  const length = groupLength(rows);
  if (index > 0 && index === length - 1) {
    return (
      <IconButton size="sm" label="Send it on its own" onClick={() => run("taken out", groupQueued(row.threadId, rows.slice(0, index)))}>
        <Unlink2 aria-hidden />
      </IconButton>
    );
  }
  // Those that are sent as one are the first: whoever joins them takes along what stands between.
  return index > 0 && index >= length ? (
    <IconButton
      size="sm"
      label="Send it together with those before"
      onClick={() => run("put together", groupQueued(row.threadId, rows.slice(0, index + 1)))}
    >
      <Link2 aria-hidden />
    </IconButton>
  ) : null;
}

/** At the end it keeps the focus, unlike a disabled button. */
function MoveButton({ label, isAtEnd, onMove, children }: { label: string; isAtEnd: boolean; onMove(): void; children: ReactNode }) {
  return (
    <IconButton
      size="sm"
      label={label}
      aria-disabled={isAtEnd || undefined}
      className="aria-disabled:cursor-not-allowed aria-disabled:opacity-50"
      onClick={() => !isAtEnd && onMove()}
    >
      {children}
    </IconButton>
  );
}

function RowActions(props: RowProps & { onEdit(): void }) {
  const { thread, row, rows, index, isMachineGone, onEdit } = props;
  const mode = isMachineGone ? null : sendNowMode(row, thread);
  const move = (by: -1 | 1) => run("moved", reorderQueued(row, placeAfter(rows, index, by)));
  return (
    <span className="ml-auto flex shrink-0 items-center">
      {mode !== null && (
        <Button size="sm" variant="ghost" onClick={() => run("sent", sendQueued(row, mode))}>
          Send now
        </Button>
      )}
      {row.editable && (
        <>
          <GroupButton {...props} />
          {rows.length > 1 && (
            <>
              <MoveButton label="Send it earlier" isAtEnd={index === 0} onMove={() => move(-1)}>
                <ArrowUp aria-hidden />
              </MoveButton>
              <MoveButton label="Send it later" isAtEnd={index === rows.length - 1} onMove={() => move(1)}>
                <ArrowDown aria-hidden />
              </MoveButton>
            </>
          )}
          {row.payload.kind === "inline" && (
            <IconButton size="sm" label="Change the message" onClick={onEdit}>
              <Pencil aria-hidden />
            </IconButton>
          )}
          <IconButton size="sm" label="Take the message back" onClick={() => run("taken back", takeBack(row, thread.projectId))}>
            <X aria-hidden />
          </IconButton>
        </>
      )}
    </span>
  );
}

function QueuedRow(props: RowProps) {
  const { thread, row, rows, index, isMachineGone } = props;
  const [isEditing, setEditing] = useState(false);
  const edits = use(OpenEditsContext);
  const done = useCallback(() => {
    edits.delete(row.id);
    setEditing(false);
  }, [edits, row.id]);
  const text = textOfInput(row.content);
  const files = filesText(row.content);
  const isWithBefore = index > 0 && index < groupLength(rows);
  return (
    <li
      className={cn(
        "flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-border-hairline bg-surface-raised-solid px-3 py-1.5 text-sm",
        isWithBefore && "ml-4",
      )}
    >
      {isEditing && row.editable ? (
        <QueuedEditor row={row} projectId={thread.projectId} onDone={done} />
      ) : (
        <>
          <span className="min-w-40 flex-1 truncate">{text === "" ? files : text.slice(0, kLine)}</span>
          {files !== null && text !== "" && <Badge>{files}</Badge>}
          <Badge>{isWithBefore ? "Together with the one before" : waitText(row, thread, { isMachineGone })}</Badge>
          <RowActions {...props} onEdit={() => setEditing(true)} />
        </>
      )}
    </li>
  );
}

const kNone: readonly QueuedMessage[] = [];

/** What waits to be sent; nothing at all while nothing does. */
export function Queue({ thread }: { thread: Thread }) {
  const rows = useQueue(thread.id).data ?? kNone;
  const edits = useOpenEdits(thread.id, rows);
  // What runs still has its machine, or will hear of it.
  const isMachineGone = useIsMachineGone(rows.length === 0 ? null : thread.environmentHostId) && !isRunning(thread);
  if (rows.length === 0) {
    return null;
  }
  return (
    <OpenEditsContext value={edits}>
      <ul aria-label="Messages that wait" className="flex max-h-72 flex-col gap-1 overflow-y-auto">
        {rows.map((row, index) => (
          <QueuedRow key={row.id} thread={thread} row={row} rows={rows} index={index} isMachineGone={isMachineGone} />
        ))}
      </ul>
    </OpenEditsContext>
  );
}
