import { useCallback, useContext, useMemo, useState } from "react";

import type { NewThreadComposerProps } from "#sdk/app/components.js";
import type { PluginComposerScope } from "#sdk/app/composer.js";

import { PluginMountContext } from "@/plugins/mount_context";
import { pathnameNow } from "@/lib/navigation";
import { TooltipProvider } from "@/ui/tooltip";
import { Composer, type ComposerRequest } from "./composer";
import type { ComposerMessage } from "./model";
import { useNewThreadChoice } from "./new_thread_choice";
import { createThread, requestOf } from "./send";
import { showStarted } from "./sending";

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
  const pluginId = useContext(PluginMountContext)?.plugin.pluginId ?? "";
  const keptAs = `plugin.${pluginId}.${draftKey}`;
  const { projectId, providerId, seeds, sent, controls, footer } = useNewThreadChoice({ seeds: props, draftKey: keptAs });
  const scope = useMemo<PluginComposerScope>(() => ({ kind: "new-thread", projectId }), [projectId]);
  const submit = useCallback(
    async (message: ComposerMessage) => {
      if (onSubmit !== undefined) {
        await onSubmit(await requestOf(seeds, message));
        sent();
        return;
      }
      const from = pathnameNow();
      const threadId = await createThread(seeds, message);
      sent();
      if (onCreated === undefined) {
        showStarted(threadId, from);
      } else {
        onCreated(threadId);
      }
    },
    [seeds, sent, onSubmit, onCreated],
  );
  return (
    // Plugins show it anywhere, also where no page is around it.
    <TooltipProvider>
      <Composer
        key={draftKey}
        scope={scope}
        initialText={initialPrompt}
        draftKey={keptAs}
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
