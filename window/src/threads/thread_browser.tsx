import ChevronRight from "lucide-react/icons/chevron-right";
import MessagesSquare from "lucide-react/icons/messages-square";
import { useMemo, useState } from "react";

import { useThreadSections } from "@/api/thread_sections";
import { navigation } from "@/lib/navigation";
import { useHasAgent, usePinOrder, useThreadLists } from "@/sdk_app/threads_data";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { cn } from "@/ui/cn";
import { EmptyState } from "@/ui/empty_state";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Loading } from "@/ui/spinner";
import { MessageSearch } from "./message_search";
import { NewSectionDialog, SectionMenu } from "./section_menu";
import { groupThreads, type ThreadFilter, type ThreadGroup } from "./thread_groups";
import { ThreadRow } from "./thread_row";
import { useFoldedGroups } from "./folded_groups";

const kFilters: { value: ThreadFilter; label: string }[] = [
  { value: "all", label: "All threads" },
  { value: "attention", label: "Want attention" },
  { value: "running", label: "Running" },
  { value: "archived", label: "Archived" },
];

function Group({ group, isFolded, onToggle }: { group: ThreadGroup; isFolded: boolean; onToggle(): void }) {
  const { key, kind, title, threads } = group;
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <div className="flex items-center gap-1">
        <h2 className="min-w-0 text-xs font-medium text-muted-foreground">
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={onToggle}
            className="flex min-h-7 max-w-full cursor-pointer items-center gap-1 rounded-md px-1 hover:bg-state-hover pointer-coarse:min-h-11"
          >
            <ChevronRight aria-hidden className={cn("size-3.5 shrink-0 transition-transform", !isFolded && "rotate-90")} />
            <span className="truncate">{title}</span>
            <span className="tabular-nums">{threads.length}</span>
          </button>
        </h2>
        {kind === "section" && <SectionMenu id={key} name={title} />}
      </div>
      {!isFolded &&
        (threads.length === 0 ? (
          <p className="px-2 text-sm text-subtle-foreground">Nothing is in this section. A thread&apos;s menu moves it here.</p>
        ) : (
          <Card>
            <ul className="divide-y divide-border-hairline">
              {threads.map((thread) => (
                <ThreadRow key={thread.id} thread={thread} />
              ))}
            </ul>
          </Card>
        ))}
    </section>
  );
}

function NoThreads() {
  const hasAgent = useHasAgent();
  return (
    <EmptyState
      icon={<MessagesSquare />}
      title="No threads yet"
      description={
        hasAgent === false
          ? "What you start with an agent is listed here. No agent is set up yet: the settings say how to get one."
          : "What you start with an agent is listed here."
      }
      actions={
        hasAgent === false ? (
          <Button onClick={() => navigation.toSettings("agents")}>Set up an agent</Button>
        ) : (
          <Button onClick={() => navigation.toCompose({ focusPrompt: true })}>Write the first message</Button>
        )
      }
    />
  );
}

/** All threads in groups, with a field that finds them by their titles and by what was said in them. */
export function ThreadBrowser({ initialQuery = "" }: { initialQuery?: string }) {
  const { status, threads, projects } = useThreadLists();
  const sections = useThreadSections().data;
  const pinned = usePinOrder();
  const [query, setQuery] = useState(initialQuery);
  const [filter, setFilter] = useState<ThreadFilter>("all");
  const [isNaming, setNaming] = useState(false);
  const [folded, toggle] = useFoldedGroups();
  const isWhole = query.trim() === "" && filter === "all";
  const groups = useMemo(
    () => groupThreads(threads, { projects, sections: sections ?? [], pinned, query, filter, withEmptySections: isWhole }),
    [threads, projects, sections, pinned, query, filter, isWhole],
  );
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
    return <NoThreads />;
  }
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <Input
          type="search"
          aria-label="Find a thread"
          placeholder="Find a thread, or what was said in one"
          className="min-w-52 flex-1"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <Select
          aria-label="Which threads"
          className="w-44"
          value={filter}
          options={kFilters}
          onValueChange={(value) => setFilter(value as ThreadFilter)}
        />
        <Button onClick={() => setNaming(true)}>New section</Button>
      </div>
      {groups.length === 0 && (
        <EmptyState
          title="No thread matches"
          description="Fewer words find more."
          actions={
            <Button
              onClick={() => {
                setQuery("");
                setFilter("all");
              }}
            >
              Show all threads
            </Button>
          }
        />
      )}
      {groups.map((group) => (
        <Group
          key={group.key}
          group={group}
          // What was found is shown, whatever was folded.
          isFolded={isWhole && folded(group)}
          onToggle={() => toggle(group)}
        />
      ))}
      <MessageSearch query={query} />
      {isNaming && <NewSectionDialog onClose={() => setNaming(false)} />}
    </div>
  );
}
