import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import { useMemo, useState } from "react";
import { Link } from "react-router";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { paths } from "@/lib/navigation";
import { kThreadActions } from "@/sdk_app/thread_actions";
import { threadName } from "@/sdk_app/thread_records";
import { useThreadLists } from "@/sdk_app/threads_data";
import { Badge } from "@/ui/badge";
import { Banner } from "@/ui/banner";
import { IconButton } from "@/ui/button";
import { cn } from "@/ui/cn";
import { EmptyState } from "@/ui/empty_state";
import { Input } from "@/ui/input";
import { Loading } from "@/ui/spinner";
import { TimeAgo } from "@/ui/time_ago";
import { groupThreads } from "./thread_groups";

/** What failed is told by the action itself. */
const quietly = (change: Promise<void>): void => void change.catch(() => undefined);

function Row({ thread }: { thread: PluginSidebarThread }) {
  const { id, isArchived, isPinned, isUnread, indicatorLabel, latestAttentionAt } = thread;
  const name = threadName(thread);
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded-md px-2 py-1 hover:bg-state-hover">
      <Link to={paths.thread(id)} className={cn("min-w-40 flex-1 truncate text-sm", isUnread && "font-semibold")}>
        {name}
      </Link>
      {indicatorLabel !== null && <Badge tone={thread.hasPendingInteraction ? "warning" : "neutral"}>{indicatorLabel}</Badge>}
      <span className="text-xs text-muted-foreground">
        <TimeAgo at={latestAttentionAt} />
      </span>
      {!isArchived && (
        <IconButton
          size="sm"
          label={`${isPinned ? "Unpin" : "Pin"} ${name}`}
          onClick={() => quietly(kThreadActions.setPinned(id, !isPinned))}
        >
          {isPinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
        </IconButton>
      )}
      <IconButton
        size="sm"
        label={isArchived ? `Take ${name} out of the archive` : `Archive ${name}`}
        onClick={() => quietly(isArchived ? kThreadActions.unarchive(id) : kThreadActions.archive(id))}
      >
        {isArchived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
      </IconButton>
    </li>
  );
}

/** All threads in groups, with a field that finds them by their titles. */
export function ThreadBrowser() {
  const { status, threads, projects } = useThreadLists();
  const [query, setQuery] = useState("");
  const groups = useMemo(() => groupThreads(threads, projects, query), [threads, projects, query]);
  if (status === "loading") {
    return <Loading label="Loading the threads…" />;
  }
  if (status === "error" && threads.length === 0) {
    return (
      <Banner tone="error" role="alert" title="The threads could not be loaded">
        They appear when the server answers again.
      </Banner>
    );
  }
  if (threads.length === 0) {
    return <EmptyState title="No threads yet" description="What you start with an agent is listed here." />;
  }
  return (
    <div className="flex flex-col gap-5">
      <Input
        type="search"
        aria-label="Find a thread"
        placeholder="Find a thread"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      {groups.length === 0 && <EmptyState title="No thread matches" description="Titles are searched; fewer words find more." />}
      {groups.map(({ key, title, threads: rows }) => (
        <section key={key} aria-label={title} className="flex flex-col gap-1">
          <h2 className="px-2 text-xs font-medium text-muted-foreground">{title}</h2>
          <ul className="flex flex-col gap-px">
            {rows.map((thread) => (
              <Row key={thread.id} thread={thread} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
