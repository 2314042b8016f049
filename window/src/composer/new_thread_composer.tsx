import { useCallback, useContext, useMemo, useState } from "react";

import type { NewThreadComposerProps } from "#sdk/app/components.js";
import type { PluginComposerScope } from "#sdk/app/composer.js";

import { PluginMountContext } from "@/plugins/mount_context";
import { navigation } from "@/lib/navigation";
import { TooltipProvider } from "@/ui/tooltip";
import { Composer, type ComposerRequest } from "./composer";
import type { ComposerMessage } from "./model";
import { useNewThreadChoice } from "./new_thread_choice";
import { createThread, requestOf } from "./send";

/** A request to focus for each other value than the one before. */
function useFocusRequest(value: number | undefined): ComposerRequest | undefined {
  const [seen, setSeen] = useState({ value, count: 0 });
  if (seen.value !== value) {
    setSeen({ value, count: seen.count + 1 });
  }
  return useMemo(() => (seen.count === 0 ? undefined : { id: `focus:${seen.count}`, focusPrompt: true }), [seen.count]);
}

/** A composer for a new thread anywhere in the window. */
export default function NewThreadComposer(props: NewThreadComposerProps) {
  const {
    initialPrompt,
    placeholder = "What should be done?",
    layout,
    focusRequest,
    draftKey = "new-thread",
    onSubmit,
    onCreated,
    className,
  } = props;
  const { projectId, providerId, seeds, controls, footer } = useNewThreadChoice(props);
  const scope = useMemo<PluginComposerScope>(() => ({ kind: "new-thread", projectId }), [projectId]);
  const pluginId = useContext(PluginMountContext)?.plugin.pluginId ?? "";
  const submit = useCallback(
    async (message: ComposerMessage) => {
      if (onSubmit !== undefined) {
        await onSubmit(await requestOf(seeds, message));
        return;
      }
      const threadId = await createThread(seeds, message);
      if (onCreated === undefined) {
        navigation.toThread(threadId);
      } else {
        onCreated(threadId);
      }
    },
    [seeds, onSubmit, onCreated],
  );
  return (
    // Plugins show it anywhere, also where no page is around it.
    <TooltipProvider>
      <Composer
        key={draftKey}
        scope={scope}
        initialText={initialPrompt}
        draftKey={`plugin.${pluginId}.${draftKey}`}
        label="New thread"
        placeholder={placeholder}
        grows={layout === "document"}
        request={useFocusRequest(focusRequest)}
        submit={submit}
        controls={controls}
        footer={footer}
        providerId={providerId}
        className={className}
      />
    </TooltipProvider>
  );
}
