import { useCallback, useMemo } from "react";

import type { NewThreadComposerProps } from "#sdk/app/components.js";
import type { PluginComposerScope } from "#sdk/app/composer.js";

import { navigation } from "../shell/navigation";
import { TooltipProvider } from "../ui/tooltip";
import { Composer } from "./composer";
import type { ComposerMessage } from "./model";
import { createThread, requestOf } from "./send";

/** A composer for a new thread anywhere in the window. */
export default function NewThreadComposer({ projectId, initialPrompt, onSubmit, onCreated, className }: NewThreadComposerProps) {
  const project = projectId ?? null;
  const scope = useMemo<PluginComposerScope>(() => ({ kind: "new-thread", projectId: project }), [project]);
  const submit = useCallback(
    async (message: ComposerMessage) => {
      if (onSubmit !== undefined) {
        await onSubmit(requestOf(project, message));
        return;
      }
      const threadId = await createThread(project, message);
      if (onCreated === undefined) {
        navigation.toThread(threadId);
      } else {
        onCreated(threadId);
      }
    },
    [project, onSubmit, onCreated],
  );
  return (
    // Plugins show it anywhere, also where no page is around it.
    <TooltipProvider>
      <Composer
        key={project}
        scope={scope}
        initialText={initialPrompt}
        label="New thread"
        placeholder="What should be done?"
        submit={submit}
        className={className}
      />
    </TooltipProvider>
  );
}
