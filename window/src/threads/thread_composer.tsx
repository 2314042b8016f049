import { useCallback, useMemo, useRef, useState } from "react";

import type { Thread } from "#sdk/records.js";

import { editMessage, fetchHistory, sendMessage, stopThread, useThreadOptions } from "@/api/threads";
import { Composer, type ComposerRequest } from "@/composer/composer";
import type { ExecutionChoice } from "@/composer/execution";
import type { ComposerMessage } from "@/composer/model";
import { ExecutionPickers } from "@/composer/pickers";
import { inputOf } from "@/composer/send";
import { notify } from "@/lib/notifications";
import { textOfInput } from "./queue";
import { isRunning } from "./thread_state";

export interface ThreadComposerProps {
  thread: Thread;
  request?: ComposerRequest | undefined;
  /** Shown without a choice, unless it is one. */
  canChooseMode: boolean;
  /** What takes the place of the last message when it is sent; null for a new one. */
  isEditing: boolean;
  onEdited(): void;
}

/** Under which name the draft of a thread is kept. */
export const draftKeyOf = (threadId: string) => `thread.${threadId}`;

/** Goes through what was sent before; the draft that was there comes back at its end. */
function useHistory(threadId: string) {
  const place = useRef({ index: -1, draft: "" });
  const go = useCallback(
    async (direction: "older" | "newer", draft: string): Promise<string | null> => {
      const entries = await fetchHistory(threadId).catch(() => []);
      const { index } = place.current;
      const next = index + (direction === "older" ? 1 : -1);
      if (next >= entries.length || next < -1) {
        return null;
      }
      place.current = { index: next, draft: index === -1 ? draft : place.current.draft };
      return next === -1 ? place.current.draft : textOfInput(entries[next]!.input);
    },
    [threadId],
  );
  /** What was sent is the newest now. */
  const reset = useCallback(() => {
    place.current = { index: -1, draft: "" };
  }, []);
  return { go, reset };
}

/** Ends what the agent does; what it did stays. */
export function stopAgent(threadId: string): void {
  stopThread(threadId).catch((failure: unknown) =>
    notify({
      kind: "error",
      title: "The agent could not be stopped",
      description: failure instanceof Error ? failure.message : String(failure),
    }),
  );
}

/** Where the next message of a thread is written. */
export function ThreadComposer({ thread, request, canChooseMode, isEditing, onEdited }: ThreadComposerProps) {
  const { id, projectId } = thread;
  const [choice, setChoice] = useState<ExecutionChoice>({});
  const options = useThreadOptions(id).data;
  const runs = isRunning(thread);
  const { go: onHistory, reset: resetHistory } = useHistory(id);
  const scope = useMemo(() => ({ kind: "thread", threadId: id, projectId }) as const, [id, projectId]);
  const submit = useCallback(
    async (message: ComposerMessage) => {
      if (isEditing) {
        await editMessage(id, await inputOf(message, projectId));
        onEdited();
      } else {
        await sendMessage(id, { input: await inputOf(message, projectId), mode: "auto", ...choice });
      }
      resetHistory();
    },
    [id, projectId, choice, isEditing, onEdited, resetHistory],
  );
  return (
    <Composer
      scope={scope}
      draftKey={draftKeyOf(id)}
      placeholder={isEditing ? "The message, as it should have been" : runs ? "Waits until the agent is done" : "What should be done next?"}
      request={request}
      submit={submit}
      isRunning={runs}
      onStop={() => stopAgent(id)}
      onHistory={onHistory}
      controls={
        <ExecutionPickers
          providerId={thread.providerId}
          current={options ?? {}}
          choice={choice}
          onChoice={setChoice}
          canChooseMode={canChooseMode}
        />
      }
    />
  );
}
