import { useQueries } from "@tanstack/react-query";
import { Link } from "react-router";

import type { Interaction } from "#sdk/records.js";

import { interactionsQuery } from "@/api/threads";
import { paths } from "@/lib/navigation";
import { useThreadLists } from "@/sdk_app/threads_data";
import { EmptyState } from "@/ui/empty_state";
import { Loading } from "@/ui/spinner";
import { InteractionForm } from "./interactions";

/** Everything that waits for an answer, oldest first, whichever thread asks. */
export function Inbox() {
  const { status, threads } = useThreadLists();
  const waiting = threads.filter(({ hasPendingInteraction }) => hasPendingInteraction);
  const answers = useQueries({ queries: waiting.map(({ id }) => interactionsQuery(id)) });
  const asked = answers.flatMap(({ data }): Interaction[] => data ?? []).sort((a, b) => a.createdAt - b.createdAt);
  if (status === "loading" || (asked.length === 0 && answers.some(({ isPending }) => isPending))) {
    return <Loading label="Loading what waits…" />;
  }
  if (asked.length === 0) {
    return (
      <EmptyState title="Nothing waits for you" description="Questions of agents and plugins appear here until somebody answers them." />
    );
  }
  return (
    <ul className="flex flex-col gap-5" aria-label="Waiting for an answer">
      {asked.map((interaction) => {
        const thread = waiting.find(({ id }) => id === interaction.threadId);
        return (
          <li key={interaction.id} className="flex min-w-0 flex-col gap-1.5">
            <Link to={paths.thread(interaction.threadId)} className="truncate text-sm text-link underline-offset-2 hover:underline">
              {thread?.title ?? thread?.titleFallback ?? interaction.threadId}
            </Link>
            <InteractionForm interaction={interaction} surface={{ threadId: interaction.threadId, projectId: thread?.projectId ?? null }} />
          </li>
        );
      })}
    </ul>
  );
}
