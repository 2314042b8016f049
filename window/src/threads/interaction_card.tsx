import { type ReactNode, useId, useState } from "react";

import type { Interaction } from "#sdk/records.js";

import { fetchInteraction } from "@/api/threads";
import { ApiError } from "@/lib/api_error";
import { notify } from "@/lib/notifications";
import { Banner } from "@/ui/banner";
import { Card } from "@/ui/card";
import { knowEnd } from "./ended_interactions";
import { endedText } from "./interaction_text";

export interface Answering {
  readonly isBusy: boolean;
  readonly failure: string | null;
  answer(this: void, send: () => Promise<void>): Promise<void>;
}

/** Sends an answer. One that came after another says how that one went; every other failure leaves the form as it is. */
export function useAnswer(interaction: Interaction): Answering {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const answer = async (send: () => Promise<void>) => {
    setSending(true);
    setFailure(null);
    const forget = knowEnd(interaction.id);
    try {
      await send();
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === "conflict") {
        notify({ kind: "info", title: "Already answered", description: await howItEnded(interaction) });
      } else {
        forget();
        setFailure(thrown instanceof Error ? thrown.message : String(thrown));
      }
    } finally {
      setSending(false);
    }
  };
  return { isBusy: isSending || interaction.status === "resolving", failure, answer };
}

async function howItEnded(interaction: Interaction): Promise<string> {
  try {
    return endedText(await fetchInteraction(interaction));
  } catch {
    return "It was answered elsewhere.";
  }
}

export interface InteractionCardProps {
  interaction: Interaction;
  title: string;
  failure: string | null;
  children: ReactNode;
}

/** A question, in a thread above its composer. */
export function InteractionCard({ interaction, title, failure, children }: InteractionCardProps) {
  const headingId = useId();
  return (
    <Card
      role="group"
      tabIndex={-1}
      data-svc-interaction=""
      aria-labelledby={headingId}
      className="flex flex-col gap-3 p-4 data-by-key:outline-2 data-by-key:outline-ring"
    >
      <h2 id={headingId} className="text-base font-semibold wrap-anywhere">
        {title}
      </h2>
      {failure !== null && (
        <Banner tone="error" role="alert" title="The answer was not delivered">
          {failure}
        </Banner>
      )}
      {/* Of an answer that another window gave, for instance. */}
      {failure === null && interaction.status === "pending" && interaction.statusReason !== null && (
        <Banner tone="warning" role="status" title="An answer was not delivered">
          {interaction.statusReason}
        </Banner>
      )}
      {children}
      {interaction.status === "resolving" && (
        <p role="status" className="text-xs text-muted-foreground">
          The answer is being delivered…
        </p>
      )}
    </Card>
  );
}
