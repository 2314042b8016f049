import { useQueries } from "@tanstack/react-query";
import InboxIcon from "lucide-react/icons/inbox";
import { Link } from "react-router";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";
import type { Interaction } from "#sdk/records.js";

import { interactionsQuery, markRead } from "@/api/threads";
import { paths } from "@/lib/navigation";
import { threadName } from "@/sdk_app/thread_records";
import { useAgent, useThreadLists } from "@/sdk_app/threads_data";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { Card, Section } from "@/ui/card";
import { EmptyState } from "@/ui/empty_state";
import { Loading } from "@/ui/spinner";
import { TimeAgo } from "@/ui/time_ago";
import { attentionOf } from "./attention";
import { EndedInteraction, useEndedInteractions } from "./ended_interactions";
import { InteractionForm } from "./interactions";
import { ThreadIndicator } from "./thread_indicator";

const newestFirst = (a: PluginSidebarThread, b: PluginSidebarThread) => b.latestAttentionAt - a.latestAttentionAt;

/** What came of threads that nobody looked at since. */
function Unread({ threads }: { threads: readonly PluginSidebarThread[] }) {
  return (
    <Section
      title="Not read yet"
      actions={
        <Button size="sm" onClick={() => threads.forEach(({ id }) => void markRead(id))}>
          Mark all as read
        </Button>
      }
    >
      <Card>
        <ul className="divide-y divide-border-hairline">
          {threads.map((thread) => (
            <li key={thread.id}>
              <Link
                to={paths.thread(thread.id)}
                className="flex min-h-11 min-w-0 items-center gap-3 px-4 py-2 text-sm hover:bg-state-hover"
              >
                <ThreadIndicator thread={thread} />
                <span className="min-w-0 flex-1 truncate">{threadName(thread)}</span>
                <span className="shrink-0 text-xs text-muted-foreground">
                  <TimeAgo at={thread.latestAttentionAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}

function ThreadLink({ interaction: { threadId }, threads }: { interaction: Interaction; threads: readonly PluginSidebarThread[] }) {
  const thread = threads.find(({ id }) => id === threadId);
  return (
    <p className="flex min-w-0 items-baseline gap-2 text-sm">
      <Link to={paths.thread(threadId)} className="truncate text-link underline-offset-2 hover:underline">
        {thread === undefined ? threadId : threadName(thread)}
      </Link>
      {thread !== undefined && <AgentName providerId={thread.providerId} />}
    </p>
  );
}

function AgentName({ providerId }: { providerId: string }) {
  return <span className="shrink-0 text-xs text-muted-foreground">{useAgent(providerId)?.displayName ?? providerId}</span>;
}

/** Everything that wants somebody: questions, oldest first, whichever thread asks, and what was not read. */
export function Inbox() {
  const { status, threads } = useThreadLists();
  const waiting = threads.filter(({ hasPendingInteraction, isArchived }) => hasPendingInteraction && !isArchived);
  const unread = threads.filter((thread) => ["done", "failed"].includes(attentionOf(thread) ?? "")).sort(newestFirst);
  const answers = useQueries({ queries: waiting.map(({ id }) => interactionsQuery(id)) });
  const asked = answers.flatMap(({ data }): Interaction[] => data ?? []).sort((a, b) => a.createdAt - b.createdAt);
  const { ended, dismiss } = useEndedInteractions(status === "loading" || answers.some(({ isPending }) => isPending) ? undefined : asked);
  if (status === "loading" || (asked.length === 0 && answers.some(({ isPending }) => isPending))) {
    return <Loading label="Loading what waits…" />;
  }
  if (status === "error" && threads.length === 0) {
    return (
      <Banner tone="error" role="alert" title="The threads could not be loaded">
        What waits appears when the server answers again.
      </Banner>
    );
  }
  if (asked.length === 0 && unread.length === 0 && ended.length === 0) {
    return (
      <EmptyState
        icon={<InboxIcon />}
        title="Nothing waits for you"
        description="Questions of agents and plugins appear here until somebody answers them, and threads until somebody has read what came of them."
      />
    );
  }
  return (
    <div className="flex flex-col gap-8">
      {asked.length > 0 && (
        <Section title="Waiting for an answer">
          <ul className="flex flex-col gap-5">
            {asked.map((interaction) => {
              const thread = waiting.find(({ id }) => id === interaction.threadId);
              return (
                <li key={interaction.id} className="flex min-w-0 flex-col gap-1.5">
                  <ThreadLink interaction={interaction} threads={threads} />
                  <InteractionForm
                    interaction={interaction}
                    surface={{ threadId: interaction.threadId, projectId: thread?.projectId ?? null }}
                  />
                </li>
              );
            })}
          </ul>
        </Section>
      )}
      {ended.length > 0 && (
        <Section title="Asked no more">
          <ul className="flex flex-col gap-3">
            {ended.map((interaction) => (
              <li key={interaction.id} className="flex min-w-0 flex-col gap-1.5">
                <ThreadLink interaction={interaction} threads={threads} />
                <EndedInteraction interaction={interaction} onDismiss={() => dismiss(interaction.id)} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {unread.length > 0 && <Unread threads={unread} />}
    </div>
  );
}
