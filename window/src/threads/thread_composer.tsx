import { useCallback, useMemo, useRef, useState } from "react";

import type { PermissionMode, Thread } from "#sdk/records.js";

import { editMessage, fetchHistory, sendMessage, stopThread, useThreadOptions } from "@/api/threads";
import { Composer, type ComposerRequest } from "@/composer/composer";
import type { ComposerMessage } from "@/composer/model";
import { inputOf } from "@/composer/send";
import { notify } from "@/lib/notifications";
import { Select } from "@/ui/select";
import { useModels } from "./models";
import { textOfInput } from "./queue";
import { isRunning } from "./thread_state";

const kModes: { value: PermissionMode; label: string }[] = [
  { value: "accept-edits", label: "Asks first" },
  { value: "auto", label: "Asks when risky" },
  { value: "full", label: "Never asks" },
];

export interface ThreadComposerProps {
  thread: Thread;
  request?: ComposerRequest | undefined;
  /** Shown without a choice, unless it is one. */
  canChooseMode: boolean;
  /** What takes the place of the last message when it is sent; null for a new one. */
  isEditing: boolean;
  onEdited(): void;
}

/** What was chosen for this thread in this window; what is not chosen stays with the thread. */
interface Choice {
  model?: string;
  permissionMode?: PermissionMode;
}

function Pickers({
  thread,
  choice,
  onChoice,
  canChooseMode,
}: {
  thread: Thread;
  choice: Choice;
  onChoice(choice: Choice): void;
  canChooseMode: boolean;
}) {
  const options = useThreadOptions(thread.id).data;
  const models = useModels(thread.providerId);
  const mode = choice.permissionMode ?? options?.permissionMode;
  return (
    <>
      {models.length > 0 && (
        <Select
          aria-label="Model"
          className="max-w-40 shrink"
          placeholder="Model"
          value={choice.model ?? options?.model ?? ""}
          options={models.map(({ id, displayName }) => ({ value: id, label: displayName }))}
          onValueChange={(model) => onChoice({ ...choice, model })}
        />
      )}
      {mode !== undefined && (
        <Select
          aria-label="Permission mode"
          className="max-w-36 shrink"
          value={mode}
          options={kModes}
          disabled={!canChooseMode}
          onValueChange={(permissionMode) => onChoice({ ...choice, permissionMode: permissionMode as PermissionMode })}
        />
      )}
    </>
  );
}

/** Goes through what was sent before; the draft that was there comes back at its end. */
function useHistory(threadId: string) {
  const place = useRef({ index: -1, draft: "" });
  return useCallback(
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
}

/** Where the next message of a thread is written. */
export function ThreadComposer({ thread, request, canChooseMode, isEditing, onEdited }: ThreadComposerProps) {
  const { id, projectId } = thread;
  const [choice, setChoice] = useState<Choice>({});
  const runs = isRunning(thread);
  const onHistory = useHistory(id);
  const scope = useMemo(() => ({ kind: "thread", threadId: id, projectId }) as const, [id, projectId]);
  const submit = useCallback(
    async (message: ComposerMessage) => {
      if (isEditing) {
        await editMessage(id, await inputOf(message, projectId));
        onEdited();
      } else {
        await sendMessage(id, { input: await inputOf(message, projectId), mode: "auto", ...choice });
      }
    },
    [id, projectId, choice, isEditing, onEdited],
  );
  const stop = () =>
    void stopThread(id).catch((failure: unknown) =>
      notify({
        kind: "error",
        title: "The agent could not be stopped",
        description: failure instanceof Error ? failure.message : String(failure),
      }),
    );
  return (
    <Composer
      scope={scope}
      draftKey={`thread.${id}`}
      placeholder={isEditing ? "The message, as it should have been" : runs ? "Waits until the agent is done" : "What should be done next?"}
      request={request}
      submit={submit}
      isRunning={runs}
      onStop={stop}
      onHistory={onHistory}
      controls={<Pickers thread={thread} choice={choice} onChoice={setChoice} canChooseMode={canChooseMode} />}
    />
  );
}
