import { type ReactNode, useCallback } from "react";

import type { JsonValue } from "#sdk/json.js";
import type { Interaction } from "#sdk/records.js";

import { usePlugins } from "@/api/queries";
import { cancelInteraction, respondInteraction } from "@/api/threads";
import { PendingInteraction } from "@/composer/pending_interaction";
import type { SurfaceContext } from "@/plugins/mount_context";
import { Button } from "@/ui/button";
import { ApprovalForm } from "./approval";
import { knowEnd } from "./ended_interactions";
import { InteractionCard, useAnswer } from "./interaction_card";
import { QuestionBoundary } from "./question_boundary";
import { QuestionForm } from "./question_form";

/** Whoever ends one here need not be told how it ended. */
async function ending(id: string, request: Promise<void>): Promise<void> {
  const forget = knowEnd(id);
  try {
    await request;
  } catch (failure) {
    forget();
    throw failure;
  }
}

function PluginForm({ interaction, surface }: { interaction: Interaction; surface: SurfaceContext }) {
  const { id, threadId, origin, payload, status, createdAt, expiresAt } = interaction;
  const pluginId = origin.kind === "plugin" ? origin.pluginId : "";
  const name = usePlugins().data?.find((record) => record.id === pluginId)?.name ?? pluginId;
  const respond = useCallback((value: JsonValue) => ending(id, respondInteraction(threadId, id, value)), [threadId, id]);
  const cancel = useCallback(() => ending(id, cancelInteraction(threadId, id)), [threadId, id]);
  if (payload.kind !== "plugin" || origin.kind !== "plugin") {
    return null;
  }
  return (
    <PendingInteraction
      interaction={{
        id,
        threadId,
        status: status === "resolving" ? "resolving" : "pending",
        pluginId,
        rendererId: origin.rendererId,
        title: payload.title,
        data: payload.data,
        createdAt,
        expiresAt,
      }}
      pluginName={name}
      surface={surface}
      respond={respond}
      cancel={cancel}
    />
  );
}

/** In place of the form of one that cannot be shown: why, and the way out. */
function UnshownQuestion({ interaction, children }: { interaction: Interaction; children: ReactNode }) {
  const { isBusy, failure, answer } = useAnswer(interaction);
  const who = interaction.origin.kind === "plugin" ? "A plugin" : "The agent";
  return (
    <InteractionCard interaction={interaction} title={`${who} asks something that this window cannot show`} failure={failure}>
      <p className="text-sm text-muted-foreground">{children}</p>
      <div>
        <Button isBusy={isBusy} onClick={() => void answer(() => cancelInteraction(interaction.threadId, interaction.id))}>
          Cancel the question
        </Button>
      </div>
    </InteractionCard>
  );
}

/** The form for one question of an agent or a plugin. */
export function InteractionForm(props: { interaction: Interaction; surface: SurfaceContext }) {
  return (
    <QuestionBoundary
      key={props.interaction.id}
      fallback={
        <UnshownQuestion interaction={props.interaction}>
          Its form stopped working, which is a fault of the window. Load the page again, or cancel the question to let what asked go on.
        </UnshownQuestion>
      }
    >
      <Form {...props} />
    </QuestionBoundary>
  );
}

function Form({ interaction, surface }: { interaction: Interaction; surface: SurfaceContext }) {
  const { payload } = interaction;
  switch (payload.kind) {
    case "approval":
      return <ApprovalForm interaction={interaction} payload={payload} />;
    case "user_question":
      return <QuestionForm interaction={interaction} payload={payload} />;
    case "plugin":
      return <PluginForm interaction={interaction} surface={surface} />;
    default:
      return (
        <UnshownQuestion interaction={interaction}>
          The service is newer than the window. Load the page again, or let the agent go on.
        </UnshownQuestion>
      );
  }
}
