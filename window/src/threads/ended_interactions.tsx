import X from "lucide-react/icons/x";
import { useEffect, useRef, useState } from "react";

import type { Interaction } from "#sdk/records.js";

import { fetchInteraction } from "@/api/threads";
import { Banner } from "@/ui/banner";
import { IconButton } from "@/ui/button";
import { askedText, endedText } from "./interaction_text";
import { QuestionBoundary } from "./question_boundary";

/** Ids of those whose end somebody in this window knows: they answered, or were told. */
const known = new Set<string>();

/** Says that the end of one needs no words here; the returned function takes it back, as after an answer that did not arrive. */
export function knowEnd(id: string): () => void {
  known.add(id);
  return () => known.delete(id);
}

const isOpen = ({ status }: Interaction): boolean => status === "pending" || status === "resolving";

export interface EndedInteractions {
  /** Oldest first. */
  readonly ended: readonly Interaction[];
  dismiss(this: void, id: string): void;
}

/** Questions that this window showed and did not answer, and that are asked no more. `open` is undefined while it is not known. */
export function useEndedInteractions(open: readonly Interaction[] | undefined): EndedInteractions {
  const shown = useRef(new Map<string, Interaction>());
  const [ended, setEnded] = useState<readonly Interaction[]>([]);
  useEffect(() => {
    if (open === undefined) {
      return;
    }
    const gone = [...shown.current.values()].filter(({ id }) => open.every((other) => other.id !== id));
    open.forEach((interaction) => shown.current.set(interaction.id, interaction));
    for (const interaction of gone) {
      shown.current.delete(interaction.id);
      if (!known.has(interaction.id)) {
        fetchInteraction(interaction).then(
          (now) => !isOpen(now) && setEnded((all) => [...all.filter(({ id }) => id !== now.id), now]),
          // With its thread, it has gone too.
          () => undefined,
        );
      }
    }
  }, [open]);
  return { ended, dismiss: (id) => setEnded((all) => all.filter((interaction) => interaction.id !== id)) };
}

interface EndedProps {
  interaction: Interaction;
  onDismiss(): void;
}

/** What became of a question, in its place; nothing of one that cannot be put into words. */
export function EndedInteraction(props: EndedProps) {
  return (
    <QuestionBoundary key={props.interaction.id} fallback={null}>
      <Ended {...props} />
    </QuestionBoundary>
  );
}

function Ended({ interaction, onDismiss }: EndedProps) {
  return (
    <Banner
      role="status"
      title={<span className="line-clamp-2">{askedText(interaction)}</span>}
      actions={
        <IconButton size="sm" label="Dismiss" onClick={onDismiss}>
          <X aria-hidden />
        </IconButton>
      }
    >
      {endedText(interaction)}
    </Banner>
  );
}
