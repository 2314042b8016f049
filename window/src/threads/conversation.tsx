import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import type { Thread, TimelineRow } from "#sdk/records.js";

import { realtime } from "@/api/realtime";
import { fetchTimeline, forkThread, retryThread, unarchiveThread, useFollowThread, useInteractions, useThread } from "@/api/threads";
import type { ComposerRequest } from "@/composer/composer";
import { showStarted } from "@/composer/sending";
import { ApiError } from "@/lib/api_error";
import { pathnameNow } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { createStore } from "@/lib/store";
import type { SurfaceContext } from "@/plugins/mount_context";
import { TextFilesContext } from "@/sdk_app/text_files";
import { useAgent } from "@/sdk_app/threads_data";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { cn } from "@/ui/cn";
import { ErrorNotice } from "@/ui/error_notice";
import { Loading } from "@/ui/spinner";
import type { VirtualListHandle } from "@/ui/virtual_list";
import { Asked, cardIn } from "./asked";
import { composerIn, handleConversationKey } from "./conversation_keys";
import { EndedInteraction, useEndedInteractions } from "./ended_interactions";
import { useIsMachineGone } from "./machine_gone";
import { NoThread } from "./no_thread";
import { Queue } from "./queue";
import { RowView } from "./row_view";
import { SelectionMenu } from "./selection_menu";
import { stopAgent, ThreadComposer } from "./thread_composer";
import { canRetry, isRunning, threadNotice } from "./thread_state";
import { createUnfolded, type ExtraMessageAction, type ThreadView, ThreadViewContext, useThreadView } from "./thread_view";
import { TimelineList } from "./timeline_list";
import { TimelineStatus } from "./timeline_status";
import { TimelineStore } from "./timeline_store";
import { ToldTurns } from "./told_turns";
import { RetryButton, UnlessInRows } from "./turn_failure";
import { useWorkspaceFiles } from "./workspace_files";

export interface ConversationProps {
  threadId: string;
  surface: SurfaceContext;
  /** `timeline` has no composer. */
  variant?: "full" | "compact" | "timeline";
  canChooseMode?: boolean;
  focusRequest?: number | undefined;
  extraActions?: readonly ExtraMessageAction[];
  leadingContent?: ReactNode;
  /** An event of the message that is shown first; without, the end is. */
  at?: number | undefined;
  className?: string | undefined;
}

const kNoActions: readonly ExtraMessageAction[] = [];

function failed(what: string) {
  return (failure: unknown) =>
    notify({ kind: "error", title: what, description: failure instanceof Error ? failure.message : String(failure) });
}

function fork(threadId: string, sourceSeqEnd: number): void {
  const from = pathnameNow();
  forkThread(threadId, sourceSeqEnd).then(({ id }) => showStarted(id, from), failed("The thread could not be forked"));
}

function retry(threadId: string): void {
  void retryThread(threadId).catch(failed("The turn could not be tried again"));
}

/** A second's clock, while somebody counts. */
function useNow(isCounting: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isCounting) {
      return;
    }
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isCounting]);
  return now;
}

function Notice({ thread }: { thread: Thread }) {
  const now = useNow(thread.runtime.hostReconnectGraceExpiresAt !== null);
  const agent = useAgent(thread.providerId);
  const isMachineGone = useIsMachineGone(thread.environmentHostId);
  const { store } = useThreadView();
  const step = useSyncExternalStore(store.subscribe, () => store.stepUnderWay());
  const notice = threadNotice(thread, { now, agent, isMachineGone, step });
  if (notice === null) {
    return null;
  }
  const { tone, title, text, action } = notice;
  const banner = (
    <Banner
      tone={tone}
      title={title}
      role="status"
      actions={
        action === "retry" ? (
          <RetryButton retry={() => retry(thread.id)} />
        ) : (
          action === "unarchive" && (
            <Button size="sm" onClick={() => void unarchiveThread(thread.id).catch(failed("The thread stays in the archive"))}>
              Take out of the archive
            </Button>
          )
        )
      }
    >
      {text}
    </Banner>
  );
  return action === "retry" ? <UnlessInRows>{banner}</UnlessInRows> : banner;
}

/** A thread: what was said and done, what is asked, and where the next message is written. */
export function Conversation(props: ConversationProps) {
  const { threadId, className } = props;
  const { data: thread, error, refetch, isFetching } = useThread(threadId);
  useFollowThread(threadId);
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <div className={cn("flex min-h-0 flex-1 flex-col", className)} data-svc-thread-window={threadId}>
      {isGone ? (
        <NoThread threadId={threadId} wasThere={thread !== undefined} />
      ) : thread !== undefined ? (
        <ShownThread key={threadId} {...props} thread={thread} />
      ) : error === null ? (
        <Loading label="Loading the thread…" />
      ) : (
        <ErrorNotice
          className="m-4"
          title="The thread could not be loaded"
          error={error}
          onRetry={() => void refetch()}
          isRetrying={isFetching}
        />
      )}
    </div>
  );
}

function ShownThread({
  thread,
  surface,
  variant = "full",
  extraActions = kNoActions,
  leadingContent,
  at,
  ...more
}: ConversationProps & { thread: Thread }) {
  const { id: threadId, projectId } = thread;
  const [store] = useState(
    () => new TimelineStore(threadId, { fetch: (query, signal) => fetchTimeline(threadId, query, signal), realtime }),
  );
  const list = useRef<VirtualListHandle>(null);
  const [unfolded] = useState(createUnfolded);
  const [sought] = useState(() => createStore<number | null>(null));
  const [edited, setEdited] = useState<ComposerRequest | null>(null);
  const end = useSyncExternalStore(store.subscribe, () => store.lastTurn()?.status ?? null);
  const isRetryable = variant !== "timeline" && canRetry(thread, end);
  const agent = useAgent(thread.providerId);
  // One that cannot copy its session is told in the fork what was said; to go back to a message, it has to have kept that place.
  const canFork = agent?.available === true;
  const canEdit = canFork && agent.capabilities.supportsSessionRewind;
  const view = useMemo<ThreadView>(
    () => ({
      threadId,
      projectId,
      surface,
      store,
      list,
      unfolded,
      sought,
      renderRow: (shown) => <RowView {...shown} />,
      extraActions,
      ...(isRetryable ? { onRetry: () => retry(threadId) } : {}),
      ...(variant === "timeline" || !canFork ? {} : { onFork: (sourceSeqEnd: number) => fork(threadId, sourceSeqEnd) }),
      ...(variant === "timeline" || !canEdit
        ? {}
        : {
            onEdit: (row: TimelineRow & { kind: "conversation" }) =>
              setEdited({ id: `edit:${row.id}`, initialPrompt: row.text, focusPrompt: true }),
          }),
    }),
    [threadId, projectId, surface, store, unfolded, sought, extraActions, variant, isRetryable, canFork, canEdit],
  );
  const files = useWorkspaceFiles(thread, surface);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    handleConversationKey(event, {
      store,
      list,
      stop: variant !== "timeline" && isRunning(thread) ? () => stopAgent(threadId) : undefined,
      toComposer: () => composerIn(event.currentTarget)?.focus(),
      question: () => cardIn(event.currentTarget),
    });
  return (
    <ThreadViewContext value={view}>
      <TextFilesContext value={files}>
        <div role="group" aria-label="Conversation" className="flex min-h-0 flex-1 flex-col" onKeyDown={onKeyDown}>
          <TimelineList leadingContent={leadingContent} at={at} />
          <SelectionMenu />
          <TimelineStatus />
          <ToldTurns thread={thread} />
          {variant !== "timeline" && (
            <Footer thread={thread} surface={surface} edited={edited} onEdited={() => setEdited(null)} {...more} />
          )}
        </div>
      </TextFilesContext>
    </ThreadViewContext>
  );
}

interface FooterProps extends Pick<ConversationProps, "surface" | "canChooseMode" | "focusRequest"> {
  thread: Thread;
  edited: ComposerRequest | null;
  onEdited(): void;
}

function Footer({ thread, surface, canChooseMode = true, focusRequest, edited, onEdited }: FooterProps) {
  const { data: open } = useInteractions(thread.id);
  const [asked] = open ?? [];
  const { ended, dismiss } = useEndedInteractions(open);
  const last = ended.at(-1);
  const request = useMemo<ComposerRequest | undefined>(
    () => edited ?? (focusRequest === undefined ? undefined : { id: `focus:${focusRequest}`, focusPrompt: true }),
    [edited, focusRequest],
  );
  const done = useCallback(() => onEdited(), [onEdited]);
  const place = useRef<HTMLDivElement>(null);
  const toComposer = () => place.current !== null && composerIn(place.current)?.focus();
  return (
    <div ref={place} className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-4 pb-4">
      {/* Whoever is asked sees that the agent has begun. */}
      {!(asked !== undefined && thread.runtime.displayStatus === "starting") && <Notice thread={thread} />}
      <Queue thread={thread} />
      {last !== undefined && <EndedInteraction interaction={last} onDismiss={() => dismiss(last.id)} />}
      <Asked asked={asked} surface={surface} toComposer={toComposer} />
      {edited !== null && (
        <Banner
          title="You change your last message"
          actions={
            <Button size="sm" onClick={onEdited}>
              Write a new one instead
            </Button>
          }
        >
          What the agent did since then is left behind.
        </Banner>
      )}
      {thread.archivedAt === null && thread.deletedAt === null && (
        <ThreadComposer thread={thread} request={request} canChooseMode={canChooseMode} isEditing={edited !== null} onEdited={done} />
      )}
    </div>
  );
}
