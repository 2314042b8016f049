import { navigation, pathnameNow } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { keepDraft } from "./draft_store";
import type { ComposerModel } from "./model";
import { isOnScreen } from "./registry";
import { forgetUpload } from "./uploads";

/** Composers whose message is on its way, by the name of their draft. They outlive their page: nobody is offered to send it again. */
const sending = new Map<string, ComposerModel>();

/** The composer that was left while its message was on its way; undefined when there is none. */
export function leftSending(draftKey: string): ComposerModel | undefined {
  const model = sending.get(draftKey);
  return model === undefined || isOnScreen(model) ? undefined : model;
}

/** Sees to the draft of a composer that is left while its message is on its way. */
export function followSending(draftKey: string, model: ComposerModel): void {
  model.subscribe(() => {
    const { isSubmitting } = model.state;
    if (isSubmitting && !sending.has(draftKey)) {
      sending.set(draftKey, model);
      const { attachments } = model.state;
      const stop = model.subscribe(() => {
        if (!model.state.isSubmitting) {
          stop();
          sending.delete(draftKey);
          if (!isOnScreen(model)) {
            settle(draftKey, model, attachments);
          }
        }
      });
    }
  });
}

function settle(draftKey: string, { state, scope }: ComposerModel, sent: ComposerModel["state"]["attachments"]): void {
  keepDraft(draftKey, state);
  sent.filter((attachment) => !state.attachments.includes(attachment)).forEach(({ key }) => forgetUpload(key));
  if (state.failure !== null) {
    notify({
      kind: "error",
      title: "The message was not sent",
      description: `${state.failure} It is kept where it was written.`,
      ...(scope.kind === "thread" ? { action: { label: "Open the thread", run: () => navigation.toThread(scope.threadId) } } : {}),
    });
  }
}

/** Shows a thread that was asked for on the page `from`, unless somebody has gone elsewhere since: then it is told, with the way there. */
export function showStarted(threadId: string, from: string): void {
  if (pathnameNow() === from) {
    navigation.toThread(threadId);
  } else {
    notify({
      kind: "success",
      title: "The thread was started",
      action: { label: "Open the thread", run: () => navigation.toThread(threadId) },
    });
  }
}
