import { createContext, useEffect, useState } from "react";

import type { QueuedMessage } from "#sdk/records.js";

import type { ComposerModel } from "@/composer/model";
import { notify } from "@/lib/notifications";
import { handBack } from "./hand_back";

export interface OpenEdit {
  readonly model: ComposerModel;
  /** The text before it was changed. */
  readonly original: string;
}

/** Waiting messages that are being changed, by their id. */
export type OpenEdits = Map<string, OpenEdit>;

export const OpenEditsContext = createContext<OpenEdits>(new Map());

/** Ends when a change that is on its way has been taken or refused. */
function settled(model: ComposerModel): Promise<void> {
  return new Promise((resolve) => {
    if (!model.state.isSubmitting) {
      resolve();
      return;
    }
    const stop = model.subscribe(() => {
      if (!model.state.isSubmitting) {
        stop();
        resolve();
      }
    });
  });
}

/** The message has left as it was: what was typed goes to where the next message is written. */
async function giveBack(threadId: string, { model, original }: OpenEdit): Promise<void> {
  await settled(model);
  const { text, mentions, attachments } = model.state;
  // A change that was taken leaves nothing behind.
  if ((text.trim() === "" || text === original) && attachments.length === 0) {
    return;
  }
  const isThere = handBack(threadId, { text, mentions, attachments });
  notify({
    kind: "warning",
    title: "The message left before it was changed",
    description: isThere ? "What you had written is in the composer." : `What you had written: ${text}`,
  });
}

/** Edits of messages that leave, or that can no longer be changed, are not lost. */
export function useOpenEdits(threadId: string, rows: readonly QueuedMessage[]): OpenEdits {
  const [open] = useState<OpenEdits>(() => new Map());
  useEffect(() => {
    for (const [id, edit] of open) {
      if (!rows.some((row) => row.id === id && row.editable)) {
        open.delete(id);
        void giveBack(threadId, edit);
      }
    }
  }, [open, threadId, rows]);
  return open;
}
