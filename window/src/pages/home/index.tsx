import { useCallback, useMemo, useState } from "react";
import { useLocation } from "react-router";

import type { PluginComposerScope } from "#sdk/app/composer.js";

import { usePlugins } from "@/api/queries";
import { Composer, type ComposerRequest } from "@/composer/composer";
import type { ComposerMessage } from "@/composer/model";
import { useNewThreadChoice } from "@/composer/new_thread_choice";
import { createThread } from "@/composer/send";
import { showStarted } from "@/composer/sending";
import type { NewThreadSeeds } from "@/composer/seeds";
import { useHasAgent } from "@/sdk_app/threads_data";
import { mayTakeFocus } from "@/lib/first_focus";
import { type ComposeState, pathnameNow } from "@/lib/navigation";
import { ErrorNotice } from "@/ui/error_notice";

import { FirstRun } from "./first_run";
import { FirstThread } from "./first_thread";
import { HomepageSections } from "./homepage_sections";
import { NoAgent } from "./no_agent";
import { Overview } from "./overview";

const kTitle = "New thread";
const kDraftKey = "new-thread";
const kNoSeeds: NewThreadSeeds = {};

/** What a navigation to this page asks for. */
function useCompose(): { request: ComposerRequest | undefined; projectId: string | null } {
  const { state, key } = useLocation();
  const [takesFocus] = useState(mayTakeFocus);
  return useMemo(() => {
    const { projectId = null, ...compose } = (state as Partial<ComposeState> | null)?.compose ?? {};
    return { request: state === null && !takesFocus ? undefined : { id: key, focusPrompt: takesFocus, ...compose }, projectId };
  }, [state, key, takesFocus]);
}

/** The new-thread page: the composer, and below it what goes on and what plugins show. */
export default function HomePage() {
  const { request, projectId: asked } = useCompose();
  const { projectId, providerId, seeds, sent, controls, footer } = useNewThreadChoice({
    seeds: asked === null ? kNoSeeds : { defaultProjectId: asked },
    draftKey: kDraftKey,
    remembers: true,
  });
  const scope = useMemo<PluginComposerScope>(() => ({ kind: "new-thread", projectId }), [projectId]);
  const submit = useCallback(
    async (message: ComposerMessage) => {
      const from = pathnameNow();
      const id = await createThread(seeds, message);
      sent();
      showStarted(id, from);
    },
    [seeds, sent],
  );
  const plugins = usePlugins();
  const hasAgent = useHasAgent();
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 pt-[clamp(1.5rem,8vh,5rem)] pb-16 sm:px-6">
      <section aria-label="Composer" className="flex flex-col gap-4">
        <h1 className="text-2xl font-semibold tracking-tight text-balance outline-hidden">{kTitle}</h1>
        <Composer
          scope={scope}
          draftKey={kDraftKey}
          label={kTitle}
          placeholder="What should be done?"
          request={request}
          submit={submit}
          controls={controls}
          footer={footer}
          providerId={providerId}
        />
      </section>
      {plugins.isError && plugins.data === undefined && (
        <ErrorNotice
          title="The plugins could not be loaded"
          error={plugins.error}
          onRetry={() => void plugins.refetch()}
          isRetrying={plugins.isFetching}
        />
      )}
      <Overview />
      {hasAgent === false && <NoAgent />}
      {hasAgent === true && <FirstThread />}
      {plugins.data?.every(({ provenance }) => provenance === "builtin") === true && <FirstRun />}
      <HomepageSections projectId={projectId} />
    </div>
  );
}
